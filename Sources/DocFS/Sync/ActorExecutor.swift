/// Where the jobs of one actor run, until it has ended.
package protocol ActorExecutor: SerialExecutor {
    /// No more jobs will come.
    func stop()
}
