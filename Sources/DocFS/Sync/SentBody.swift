/// Which bytes an effect sent.
struct SentBody: Sendable {
    var ino: Int64
    var generation: Int64
}
