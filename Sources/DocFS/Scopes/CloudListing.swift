/// One opendir(3) of a directory of a cloud scope.
///
/// It keeps nothing: cookies are row numbers, and what is handed out is read at that moment.
package final class CloudListing: Sendable {
    /// The directory.
    package let number: FileNumber

    init(number: FileNumber) { self.number = number }
}
