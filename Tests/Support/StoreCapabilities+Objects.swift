package import DocFS

extension StoreCapabilities {
    /// A store of objects, as S3-compatible ones are: none can be moved, or described in place,
    /// listings do not tell what is beside them, and there are no directories.
    package static var objects: StoreCapabilities {
        var capabilities = StoreCapabilities.whole
        capabilities.moves = false
        capabilities.metadataInPlace = false
        capabilities.listsMetadata = false
        capabilities.directories = false
        return capabilities
    }
}
