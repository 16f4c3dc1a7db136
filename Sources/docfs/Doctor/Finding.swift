/// What one check found: a sentence, and what to do about it.
struct Finding: Encodable {
    enum Verdict: String, Encodable {
        /// As it should be.
        case well
        /// Worth knowing, and no harm.
        case note
        /// Something does not work until it is mended.
        case wrong
    }

    let verdict: Verdict
    let sentence: String
    /// What to do; `nil` when nothing is to be done.
    let advice: String?

    init(_ verdict: Verdict, _ sentence: String, advice: String? = nil) {
        self.verdict = verdict
        self.sentence = sentence
        self.advice = advice
    }
}
