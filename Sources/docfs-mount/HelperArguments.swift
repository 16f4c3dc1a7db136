internal import ArgumentParser
internal import DocFS

/// The command line that mount(8) gives its helpers:
/// `mount.docfs SOURCE MOUNTPOINT [-sfnv] [-N NAMESPACE] [-o OPT[,OPT]] [-t TYPE]`.
///
/// SOURCE is `docfs` or `none`, or a container as `--cloud` takes it. Always a daemon.
struct HelperArguments {
    private var places: [String] = []
    private var options: [String] = []

    init(_ arguments: [String]) throws(ConfigurationError) {
        var rest = arguments[...]
        while let word = rest.popFirst() {
            switch word {
            case "-o", "-t", "-N":
                guard let value = rest.popFirst() else {
                    throw ConfigurationError("\(word) needs a value")
                }
                if word == "-o" { options.append(value) }
            case "-s", "-n", "-v": break
            case _ where word.hasPrefix("-"): throw ConfigurationError("unknown option \(word)")
            default: places.append(word)
            }
        }
        if places.count != 2 {
            throw ConfigurationError("usage: mount.docfs SOURCE MOUNTPOINT [-o OPT[,OPT]]")
        }
    }

    /// The same, as `docfs-mount` takes it.
    func command() throws -> MountCommand {
        var words = ["--daemon"]
        if places[0] != "docfs", places[0] != "none" { words += ["--cloud", places[0]] }
        for text in options { words += ["-o", text] }
        return try MountCommand.parse(words + ["--", places[1]])
    }
}
