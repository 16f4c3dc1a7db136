internal import Glibc

/// Whether this process has the planted bug of that number: a patch beside this file.
///
/// Only the copy that scripts/mutants builds knows of any.
func planted(_ number: Int) -> Bool { number == Planted.number }

/// The bug that the environment asks for.
enum Planted {
    static let number = getenv("DOCFS_PLANTED").flatMap { Int(String(cString: $0)) }
}
