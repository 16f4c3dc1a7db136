@testable import DocFS

/// One thing that happens to the trees.
///
/// Items are named by number and made under numbers of their own, so that leaving one perturbation
/// out does not change what the others mean; one that finds nothing to do does nothing. The
/// description is the Swift code of the value.
enum Perturbation: Hashable {
    /// Where it happens: on this device, or in the store by another device that is up to date.
    enum Side: String {
        case here
        case there
    }

    case make(Side, Int, in: Int, name: String, ItemKind)
    /// Under a name that lives on this device only (S15).
    case makeScratch(Int, in: Int)
    case write(Side, Int, content: Int)
    /// As another program writes into the store: nobody knows the digest.
    case writeUnhashed(Int, content: Int)
    /// The store gives the body a new revision.
    case renew(Int)
    /// Another device makes something else of the item.
    case convert(Int, ItemKind)
    case move(Side, Int, to: Int, name: String)
    /// Two items change places.
    case exchange(Side, Int, Int)
    /// The item takes the place of its directory, which is deleted with all else in it.
    case unnest(Side, Int)
    /// A new directory takes the item's place, and the item goes into it under the same name.
    case wrap(Side, Int, Int)
    /// A new directory takes the place of a directory and all that is in it; the old one goes.
    case supplant(Side, Int, Int)
    /// With everything in it.
    case delete(Side, Int)
    case describe(Side, Int, mode: UInt16)
    case touch(Side, Int, seconds: Int64)
    case mark(Side, Int, of: Int)
    /// A process opens the document for writing, until the end.
    case open(Int)
    /// A save that was made from what the store has no more (S14a).
    case writeStale(Int, content: Int)
    /// The engine comes round to the item.
    case plan(Int)
}

extension Perturbation: CustomStringConvertible {
    var description: String {
        switch self {
        case .make(let side, let item, let parent, let name, let kind):
            ".make(.\(side), \(item), in: \(parent), name: \"\(name)\", .\(kind))"
        case .makeScratch(let item, let parent): ".makeScratch(\(item), in: \(parent))"
        case .write(let side, let item, let content):
            ".write(.\(side), \(item), content: \(content))"
        case .writeUnhashed(let item, let content): ".writeUnhashed(\(item), content: \(content))"
        case .renew(let item): ".renew(\(item))"
        case .convert(let item, let kind): ".convert(\(item), .\(kind))"
        case .move(let side, let item, let parent, let name):
            ".move(.\(side), \(item), to: \(parent), name: \"\(name)\")"
        case .exchange(let side, let one, let other): ".exchange(.\(side), \(one), \(other))"
        case .unnest(let side, let item): ".unnest(.\(side), \(item))"
        case .wrap(let side, let item, let new): ".wrap(.\(side), \(item), \(new))"
        case .supplant(let side, let item, let new): ".supplant(.\(side), \(item), \(new))"
        case .delete(let side, let item): ".delete(.\(side), \(item))"
        case .describe(let side, let item, let mode):
            ".describe(.\(side), \(item), mode: 0o\(String(mode, radix: 8)))"
        case .touch(let side, let item, let seconds):
            ".touch(.\(side), \(item), seconds: \(seconds))"
        case .mark(let side, let item, let document): ".mark(.\(side), \(item), of: \(document))"
        case .open(let item): ".open(\(item))"
        case .writeStale(let item, let content): ".writeStale(\(item), content: \(content))"
        case .plan(let item): ".plan(\(item))"
        }
    }
}
