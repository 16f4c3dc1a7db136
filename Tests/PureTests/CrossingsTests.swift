import Testing

@testable import DocFS

// S29
@Suite("What comes to Local from a container, and goes into one")
struct CrossingsTests {
    private let file = LocalIdentity(device: 1, inode: 7)

    @Test("What arrives may have the inode of what has just left")
    func oneInode() {
        let crossings = Crossings()
        crossings.noteDeparture(file)
        crossings.noteArrival(file)
        let departures = (crossings.takeDeparture(file), crossings.takeDeparture(file))
        let arrivals = (crossings.takeArrival(file), crossings.takeArrival(file))
        #expect(departures == (true, false))
        #expect(arrivals == (true, false))
    }

    @Test("What has left again before anybody was told has not arrived")
    func leftAgain() {
        let crossings = Crossings()
        crossings.noteArrival(file)
        crossings.noteDeparture(file)
        let arrival = crossings.takeArrival(file)
        #expect(!arrival)
    }

    @Test("A mark that nobody asks for is gone after two tellings")
    func nobodyAsks() {
        let crossings = Crossings()
        crossings.noteArrival(file)
        crossings.haveBeenTold()
        crossings.noteDeparture(LocalIdentity(device: 1, inode: 8))
        crossings.haveBeenTold()
        let (arrival, departure) = (
            crossings.takeArrival(file),
            crossings.takeDeparture(LocalIdentity(device: 1, inode: 8))
        )
        #expect(!arrival)
        #expect(departure)
    }
}
