/// The JSON shape of `collector.json`.
struct CollectorBody: Codable {
    var v: Int
    var device: String
    var op: String
    var working: Bool
    /// Seconds and nanoseconds of each.
    var collections: [[Int64]]

    init(_ turn: CollectorTurn) {
        v = ContainerLayout.version
        device = turn.device.description
        op = turn.operation.description
        working = turn.isAtWork
        collections = turn.collections.map { [$0.seconds, Int64($0.nanoseconds)] }
    }

    var value: CollectorTurn? {
        guard v == ContainerLayout.version, let device = DeviceID(text: device),
            let operation = OperationID(text: op)
        else { return nil }
        var times: [Timestamp] = []
        for time in collections {
            guard time.count == 2, (0..<1_000_000_000).contains(time[1]) else { return nil }
            times.append(Timestamp(seconds: time[0], nanoseconds: UInt32(time[1])))
        }
        return CollectorTurn(
            device: device, operation: operation, isAtWork: working, collections: times)
    }
}
