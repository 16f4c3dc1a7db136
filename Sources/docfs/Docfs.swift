internal import ArgumentParser

/// `docfs`: see, decide and undo from the shell.
struct Docfs: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "docfs",
        abstract: "See what DocFS is doing, settle conflicts, and take back mistakes.",
        usage: "docfs VERB [OPTIONS] [PATH…]",
        discussion: """
            Every PATH is a path inside a mount of DocFS; the mount is found by itself. Nothing is \
            lost by a mistake: what is replaced goes to the versions, what is removed to the \
            trash, both for 30 days.

            WHAT IS GOING ON:
              docfs status
                    each container: reachable, how much, what waits
              docfs status Cloud/Report.txt
                    one document, or every one of a directory
              docfs flush --wait
                    returns when the containers have everything: power off then

            SETTLE A CONFLICT (two devices edited one document; both versions stay):
              docfs conflicts
                    which documents, and who made which version
              docfs resolve Cloud/Report.txt
                    shows the versions, and asks which one stays
              docfs resolve --keep newest Cloud/Report.txt
                    without asking: current, newest, both, merge, a device's name

            BRING SOMETHING BACK:
              docfs trash
                    what was deleted, and when
              docfs restore Cloud/Report.txt
                    a deleted document, to where it was
              docfs versions Cloud/Report.txt
                    earlier versions of a document, numbered
              docfs versions Cloud/Report.txt --remove 2
                    destroys one of them, on every device
              docfs restore Cloud/Report.txt --version 2
                    one of them; what is there now becomes a version
              docfs restore Cloud/Report.txt --version 2 --to old.txt
                    a copy of it, beside

            Exit status: 0 done, 1 failed (sentences on standard error say what), 2 wrong usage. \
            --json answers in JSON. docfs --version tells the version.
            """,
        groupedSubcommands: [
            CommandGroup(
                name: "See",
                subcommands: [
                    StatusVerb.self, FindVerb.self, WatchVerb.self, FlushVerb.self,
                ]),
            CommandGroup(
                name: "Decide", subcommands: [ConflictsVerb.self, ResolveVerb.self]),
            CommandGroup(
                name: "Undo",
                subcommands: [VersionsVerb.self, RestoreVerb.self, TrashVerb.self]),
            CommandGroup(
                name: "Here or not",
                subcommands: [
                    DownloadVerb.self, EvictVerb.self, PinVerb.self, UnpinVerb.self,
                ]),
            CommandGroup(name: "Make", subcommands: [NewVerb.self, PreferVerb.self]),
            CommandGroup(
                name: "Mount", subcommands: [DoctorVerb.self, UnmountVerb.self, ManualVerb.self]),
        ])

    /// The same as docfs-mount's.
    ///
    /// Not told to ArgumentParser: its flag would be an option of every verb, and docfs restore has
    /// another one.
    static let version = "0.1.0"
}
