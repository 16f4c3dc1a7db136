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

    func checked() throws(RuleBreach) -> CollectorTurn {
        guard v == ContainerLayout.version, let device = DeviceID(text: device) else {
            throw RuleBreach("it has another layout")
        }
        var times: [Timestamp] = []
        for time in collections { times.append(try ContainerRules.time(time)) }
        return CollectorTurn(
            device: device, operation: try ContainerRules.operation(op), isAtWork: working,
            collections: times)
    }
}
