/// A value from outside that no device of ours writes: what it breaks, in words of our own.
///
/// The words hold nothing of the value itself: they reach terminals and logs.
struct RuleBreach: Error, Hashable {
    let words: String

    init(_ words: String) { self.words = words }
}
