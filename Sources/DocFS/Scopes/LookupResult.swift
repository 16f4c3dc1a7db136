/// What a name was found to be, and for how long the kernel may believe it.
package struct LookupResult: Sendable {
    /// `nil` when there is nothing of this name: worth remembering too.
    package var attributes: FileAttributes?
    /// Seconds for which the kernel may answer for this name, and for the attributes, by itself.
    package var validity: Double

    package init(attributes: FileAttributes?, validity: Double) {
        self.attributes = attributes
        self.validity = validity
    }
}
