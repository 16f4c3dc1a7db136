/// What `docfs-mount --version` prints.
package let docFSVersion = "0.1.0"
