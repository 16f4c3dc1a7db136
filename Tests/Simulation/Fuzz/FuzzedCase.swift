/// One case of a fuzzer, as its worker runs it.
protocol FuzzedCase: AnyObject {
    /// What is done in it, for people, as far as that is known before.
    var words: [String] { get }
    /// What its devices said, where that is wanted.
    var story: [String] { get }
    var finds: [String] { get }
    /// It took much memory, and what was given back this process has still.
    var hasGrown: Bool { get }

    func run()
}

extension FuzzCase: FuzzedCase {}
