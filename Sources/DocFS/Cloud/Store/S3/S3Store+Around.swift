/// What lies around a container in its bucket.
extension S3Store {
    /// Refuses a prefix inside another container: what is done in either would be done in both
    /// (S33).
    func refuseInside() async throws(DocFSError) {
        for prefix in keys.around {
            do throws(DocFSError) {
                guard try await objects.head(prefix + ".docfs/container.json") != nil else {
                    continue
                }
            } catch .documentRefused {
                // What nobody else may know of is no reason to do without this container.
                continue
            } catch .credentialsRefused {
                continue
            }
            let bucket = "s3://\(objects.client.address.bucket)/\(prefix)"
            throw .offline("\(keys.prefix) lies in another container, \(bucket)")
        }
    }
}
