/// What docfs.toml(5) says beside the options of docfs-mount, which are its keys.
enum ConfigurationText {
    static let description = """
        docfs-mount reads this file at its start, or the one that --config names. It is TOML: \
        every long option of docfs-mount is a key, without its dashes; containers, retention and \
        document types are tables. The command line goes over the file, the file over the \
        defaults. An unknown key is an error, told with its line.
        """

    /// Options of docfs-mount that make no sense in its configuration file.
    static let notInFile: Set<String> = ["config", "cloud", "help", "version"]

    static let tables: [(String, String)] = [
        (
            "[cloud] NAME = \"url\"",
            "A container for each key, shown as a directory of that name: file:///DIR, or "
                + "s3://BUCKET/PREFIX?endpoint=…&region=…, as --cloud takes them."
        ),
        (
            "scratch = [\"pattern\", …]",
            "Names beside the built-in ones that stay on this computer, as in a gitignore file but "
                + "without paths: *, ?, [a-z], and ! before a name that is a document after all. "
                + "The last pattern that matches decides."
        ),
        (
            "never-fetch = [\"program\", …]",
            "Indexers and thumbnailers, beside those that are known, for which nothing is fetched: "
                + "they read what is on this computer, and get EPERM for the rest."
        ),
        (
            "[retention] days, versions",
            "How many days a container keeps deleted documents and earlier versions (30), and how "
                + "many versions of a document it keeps however old they are (10)."
        ),
        (
            "[types.KEY] extension, name, naming, conflicts, mime",
            "A document type: what docfs new KEY makes. naming is sequential (\"Note 1\", "
                + "\"Note 2\"), timestamp or uuid; name is \"Untitled\" unless said otherwise, and "
                + "stands before a uuid only where it is said. mime is the media type of such "
                + "documents, for docfs find --type and for buckets. "
                + "conflicts says what is done about a conflict of such documents by itself, on "
                + "the computer whose edit was the later to arrive: ask (nothing), newest, or "
                + "merge, as docfs resolve --keep does it; where a merge would not be clean, "
                + "nothing."
        ),
    ]

    static let example = """
          settle = 0.5
          cache-limit = "20G"
          refresh = "pinned"
          scratch = ["*.bak"]
          never-fetch = ["my-indexer"]

          [cloud]
          Work = "file:///srv/work"

          [retention]
          days = 60

          [types.note]
          extension = "md"
          name = "Note"
          naming = "sequential"
          conflicts = "merge"
        """
}
