/// The version that `docfs-mount --version` prints, by the rules of semver.org.
package let docFSVersion = "0.1.0"
