/// Where containers are kept.
extension Composer {
    /// The container that an address names, with a log of this device's own where nothing may be
    /// written and nobody keeps one.
    func container(at address: ContainerAddress, _ device: CurrentDevice) throws(DocFSError)
        -> Container
    {
        let store = PrivateLogStore(
            try documents(at: address, device.id), logAt: "\(state.path)/logs/\(address.name)",
            of: device.id)
        return Container(
            store: store, privateLog: store, device: device, deviceName: configuration.device)
    }

    private func documents(at address: ContainerAddress, _ device: DeviceID) throws(DocFSError)
        -> any CloudStore
    {
        switch address.place {
        case .folder(let path):
            let home = try Posix.status(of: state.directory.number).device
            return FolderStore(path: path, device: device, home: home)
        case .s3(let address):
            // Keys are in memory from here on.
            Posix.forbidCores()
            return try S3Store(
                address, silence: configuration.deadline.nanoseconds, types: configuration.types)
        }
    }
}
