/// What a request carries.
enum HTTPBody: Sendable {
    case none
    case bytes([UInt8])
    case upload(HTTPUpload)
}
