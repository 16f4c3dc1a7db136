import Glibc
import TestSupport
import Testing

@testable import DocFS

/// S34: whether a state directory is the one that it was.
@Suite struct StatePlaceTests {
    /// A state directory in a directory of its own for one test, which a daemon has had.
    private final class Place {
        let path: String

        init() throws {
            var template = Array("/tmp/docfs-test-XXXXXX".utf8CString)
            path = String(cString: mkdtemp(&template))
            let state = try StateDirectory(path: path + "/state")
            try state.replace(DeviceIdentity.file, with: Array("whoever".utf8))
            #expect(!state.isCopy, "nobody has had it")
            try state.keepPlace()
            #expect(!state.isCopy)
        }

        func run(_ words: String...) throws { #expect(try Posix.run(words) == 0) }

        deinit { _ = try? Posix.run(["rm", "-rf", "--", path]) }
    }

    @Test func aCopyIsNotTheOriginal() throws {
        let place = try Place()
        try place.run("cp", "-a", place.path + "/state", place.path + "/copy")
        #expect(try !StateDirectory(path: place.path + "/state").isCopy)
        let copy = try StateDirectory(path: place.path + "/copy")
        #expect(copy.isCopy)
        #expect(try copy.hasOriginal)
        try copy.keepPlace()
        #expect(!copy.isCopy)
    }

    @Test func whatWasRestoredIsNotWhatWasThere() throws {
        let place = try Place()
        try place.run("cp", "-a", place.path + "/state", place.path + "/backup")
        try place.run("mv", place.path + "/state", place.path + "/gone")
        try place.run("cp", "-a", place.path + "/backup", place.path + "/state")
        let restored = try StateDirectory(path: place.path + "/state")
        #expect(restored.isCopy)
        #expect(try !restored.hasOriginal)
    }

    @Test func aDirectoryThatWasRenamedIsTheSame() throws {
        let place = try Place()
        try place.run("mv", place.path + "/state", place.path + "/moved")
        #expect(try !StateDirectory(path: place.path + "/moved").isCopy)
        // Also when there is another device's state where it has been, and under another name.
        let other = try StateDirectory(path: place.path + "/state")
        try other.replace(DeviceIdentity.file, with: Array("another".utf8))
        #expect(try !StateDirectory(path: place.path + "/moved").isCopy)
        symlink(place.path, place.path + "/link")
        #expect(try !StateDirectory(path: place.path + "/link/moved").isCopy)
    }

    @Test func whatCountsIsTheComputerAndTheDirectory() throws {
        let place = try Place()
        let state = try StateDirectory(path: place.path + "/state")
        let here = try StatePlace(of: state.directory, path: state.path)
        #expect(StatePlace(text: here.text) == here)
        #expect(StatePlace(text: String(here.text.dropLast())) == nil)
        #expect(!here.isCopy(of: here, current: .this))
        var other = here
        other.machine = "0123"
        #expect(here.isCopy(of: other, current: .nothing))
        other = here
        other.inode += 1
        #expect(here.isCopy(of: other, current: .this))
        other = here
        other.born = Timestamp(seconds: 1)
        #expect(here.isCopy(of: other, current: .this))
        other = here
        other.path += "-before"
        #expect(!here.isCopy(of: other, current: .nothing))
        #expect(!here.isCopy(of: other, current: .this))
        // A snapshot of a disk has the same numbers.
        #expect(here.isCopy(of: other, current: .another))
    }

    @Test func severalComputersMayShareANetworkFilesystem() throws {
        let place = try Place()
        let state = try StateDirectory(path: place.path + "/state")
        var here = try StatePlace(of: state.directory, path: state.path)
        here.machine = StatePlace.anyMachine
        var other = here
        other.inode += 1
        #expect(!here.isCopy(of: other, current: .this))
        other.path += "-before"
        #expect(here.isCopy(of: other, current: .nothing))
    }
}
