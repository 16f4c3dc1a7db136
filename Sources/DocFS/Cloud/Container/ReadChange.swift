/// A change as a record has it that was read: one that has another shape does not hide the others.
struct ReadChange: Decodable {
    /// `nil` for any other shape.
    let body: ChangeBody?
    /// What is wrong with the shape.
    let words: String

    init(from decoder: any Decoder) {
        do {
            body = try ChangeBody(from: decoder)
            words = ""
        } catch {
            body = nil
            words = ContainerCoding.words(for: error)
        }
    }
}
