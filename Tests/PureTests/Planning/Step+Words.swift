@testable import DocFS

extension Step {
    /// The step as the page names it.
    var word: String {
        switch self {
        case .rest: "rest"
        case .wait: "wait"
        case .agree: "agree"
        case .forget: "forget"
        case .create: "create"
        case .replace: "replace"
        case .move: "move"
        case .describe: "describe"
        case .bringHome: "bringHome"
        case .remove: "remove"
        case .sendAside: "sendAside"
        case .show: "show"
        case .retag: "retag"
        case .fetch: "fetch"
        case .refresh: "refresh"
        case .relocate: "relocate"
        case .redescribe: "redescribe"
        case .hide: "hide"
        case .divert: "divert"
        case .revive: "revive"
        case .keepWritten: "keepWritten"
        }
    }
}
