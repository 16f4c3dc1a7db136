package import DocFS

extension StoreCapabilities {
    /// A store of objects, as S3-compatible ones are: none can be moved or described anew where it
    /// lies, and directories do not exist by themselves.
    package static var objects: StoreCapabilities {
        var capabilities = StoreCapabilities.whole
        capabilities.moves = false
        capabilities.metadataInPlace = false
        capabilities.directories = false
        return capabilities
    }
}
