/// How far an open content is.
///
/// ```
/// unloaded ─▶ incomplete ─▶ verifying ─▶ complete
///     │           │  ▲          │  │        ▲
///     │           │  └──────────┘  │        │   damaged, or more is wanted again
///     │           └────────────────┼────────┤   truncated to nothing
///     └────────────────────────────┴────────┘   all bytes were here when it was opened
/// ```
///
/// `complete` is final as long as the content is open.
enum ContentPhase: Sendable {
    /// Nobody has looked at the row yet.
    case unloaded
    /// Bytes of the source are missing.
    case incomplete
    /// All bytes are here; their digest is being computed.
    case verifying
    /// All bytes are here, and were verified or written here.
    case complete

    func mayBecome(_ next: ContentPhase) -> Bool {
        switch (self, next) {
        case (.unloaded, .incomplete), (.unloaded, .complete), (.incomplete, .verifying),
            (.incomplete, .complete), (.verifying, .complete), (.verifying, .incomplete):
            true
        default: false
        }
    }
}
