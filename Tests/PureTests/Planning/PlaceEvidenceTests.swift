internal import Testing

@testable import DocFS

/// S23: a disk that is away is not one that was emptied.
struct PlaceEvidenceTests {
    private let document = ItemState(
        parent: .root, name: "doc", metadata: Metadata(mode: 0o644, modified: .zero),
        content: .file(Body(size: 3, digest: nil, revision: Revision("1"))))
    private let directory = ItemState(
        parent: .root, name: "dir", metadata: Metadata(mode: 0o755, modified: .zero),
        content: .directory)

    @Test func aLogThatHasNothingIsOfAnyPlace() {
        #expect(PlaceEvidence(lookingFor: 0).isEnough)
        #expect(!PlaceEvidence(lookingFor: 1).isEnough)
    }

    @Test func oneDocumentAsItWasIsEnough() {
        var evidence = PlaceEvidence(lookingFor: 64)
        evidence.add(.file, Revision("1"), at: document)
        #expect(evidence.isEnough)
    }

    @Test func namesAreEnoughWhereMostAreThere() {
        for (names, isEnough) in [(1, false), (2, false), (3, true)] {
            var evidence = PlaceEvidence(lookingFor: 4)
            for _ in 1..<names { evidence.add(.directory, nil, at: directory) }
            evidence.add(.file, Revision("2"), at: document)
            #expect(evidence.isEnough == isEnough)
        }
    }

    @Test func anotherKindIsAnotherItem() {
        var evidence = PlaceEvidence(lookingFor: 1)
        evidence.add(.directory, nil, at: document)
        evidence.add(.file, Revision("1"), at: directory)
        #expect(!evidence.isEnough)
    }

    @Test func whatMayNotBeLookedAtIsThere() {
        var evidence = PlaceEvidence(lookingFor: 1)
        evidence.addUnknown()
        #expect(evidence.isEnough)
    }
}
