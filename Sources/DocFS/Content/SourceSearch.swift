/// How far the search is for the body behind what was written into a document, where no record
/// tells of it.
enum SourceSearch: Hashable, Sendable {
    case none
    case underWay(BodySource)
    /// It was found, or is nowhere.
    case over(BodySource)
}
