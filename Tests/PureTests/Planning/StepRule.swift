@testable import DocFS

/// What steps must respect in every situation, whatever the table says.
///
/// A rule speaks of some steps, and holds for all others.
struct StepRule: Sendable {
    let sentence: String
    let holds: @Sendable (Step, Situation) -> Bool

    private init(_ sentence: String, _ holds: @escaping @Sendable (Step, Situation) -> Bool) {
        self.sentence = sentence
        self.holds = holds
    }

    /// A rule for one step.
    private init(
        only step: Step, if sentence: String, _ condition: @escaping @Sendable (Situation) -> Bool
    ) {
        self.init("\(step.word) only if \(sentence)") { $0 != step || condition($1) }
    }

    /// The rules that `step` breaks, in words.
    static func broken(by step: Step, _ situation: Situation) -> [String] {
        all.filter { !$0.holds(step, situation) }.map(\.sentence)
    }

    static let all = loss + existence + facets + waits

    /// R1, R4, R6, R7: nothing that somebody wrote is lost, nothing is changed under a writer.
    private static let loss = [
        StepRule("an edit is never refreshed or hidden (R1, S20)") {
            !$1.isEdited || $0 != .refresh && $0 != .hide || $0 == .refresh && $1.isSavedAsItWas
        },
        StepRule("nothing is changed under a writer (R4, S9, S22)") {
            $1.local?.isHeld != true || ![.fetch, .refresh, .divert, .hide].contains($0)
        },
        StepRule(only: .replace, if: "the edit was made from the store's revision (S16)") {
            $0.isEdited && $0.isCurrent && $0.local?.kind == $0.remote?.kind
        },
        StepRule(only: .sendAside, if: "it is open, the bytes differ, and both are wanted (S9)") {
            $0.local?.isHeld == true && $0.isEdited && !$0.isCurrent && !$0.holdsEqualBytes
                && !$0.lacksDigest && !$0.isSavedAsItWas && $0.local?.kind == $0.remote?.kind
        },
        StepRule(only: .remove, if: "the store has what this device had seen (R6, S19, S21)") {
            $0.local == nil && $0.isUnchangedThere && !$0.remoteHasChildren
        },
        StepRule(only: .divert, if: "the bytes differ, and both are wanted (R7, S16)") {
            guard let local = $0.local, let remote = $0.remote else { return false }
            if local.kind != remote.kind { return true }
            return $0.isEdited && !$0.isSavedAsItWas && !$0.isCurrent && !$0.holdsEqualBytes
                && !$0.lacksDigest
        },
        StepRule("scratch is not sent (S15)") {
            $1.local?.isExcluded != true || $0 != .create && $0 != .revive
        },
        StepRule("what is on its way to Local is left alone (S24)") { step, situation in
            situation.local?.isDeparting != true
                || [.rest, .forget, .wait(.departure)].contains(step)
        },
    ]

    private static let existence = [
        StepRule(only: .create, if: "it is new here") {
            $0.local != nil && $0.base == nil && $0.remote == nil
        },
        StepRule(only: .show, if: "it is not here, and new there or changed (S20, S21)") {
            $0.local == nil && $0.remote != nil && ($0.base == nil || !$0.isUnchangedThere)
        },
        StepRule(only: .hide, if: "it is gone there, and nothing here speaks against it (S21)") {
            guard let local = $0.local else { return false }
            return $0.base != nil && $0.remote == nil && !local.hasChildren && !local.holdsNews
        },
        StepRule(only: .revive, if: "it is gone there and news are here (S20, S21)") {
            $0.local?.lacksSource != true && $0.base != nil && $0.remote == nil
                && ($0.isEdited || $0.local?.holdsNews == true)
        },
        StepRule("an edit that is gone there is revived (S20)") { step, situation in
            guard let local = situation.local, !local.isExcluded, !local.isDeparting else {
                return true
            }
            return !situation.isEdited || situation.base == nil || situation.remote != nil
                || local.lacksSource || step == .revive
        },
        StepRule("an edit whose other bytes are gone is not sent as if they were here (S8)") {
            $1.local?.lacksSource != true
                || ![.create, .replace, .sendAside, .divert, .revive].contains($0)
        },
        StepRule(only: .keepWritten, if: "what it was made in is gone, and nobody writes (S8)") {
            $0.local?.lacksSource == true && $0.local?.isHeld == false
        },
        StepRule(only: .forget, if: "both sides have it no more") {
            $0.base != nil && $0.remote == nil && $0.local?.isDeparting != false
        },
        StepRule(only: .rest, if: "all agree, or there is nothing to agree on (R3)") {
            if $0.isAgreed { return $0.base == $0.remote && !$0.isEdited }
            guard let local = $0.local else { return $0.base == nil && $0.remote == nil }
            guard $0.remote == nil else { return false }
            return local.isExcluded || local.isDeparting && $0.base == nil || local.holdsOnlyScratch
        },
        StepRule("what is on one side only stays (R3)") { step, situation in
            situation.base != nil || (situation.local == nil) == (situation.remote == nil)
                || [.create, .show, .rest, .wait(.departure)].contains(step)
                || situation.local?.lacksSource == true
                    && [.keepWritten, .wait(.writer)].contains(step)
        },
    ]

    /// Bytes agree before places are compared, unless they are fetched first, and places before
    /// descriptions.
    private static let facets = [
        StepRule(only: .agree, if: "local and remote agree in every facet and the base does not") {
            $0.isAgreed && ($0.base != $0.remote || $0.isEdited)
        },
        StepRule(only: .retag, if: "the store has the base's bytes under another revision") {
            $0.isUnchangedThere && !$0.isCurrent
                && $0.local?.basis == $0.base?.content.revision
        },
        StepRule(only: .refresh, if: "another body is there, and no edit is here (S9)") {
            (!$0.isEdited || $0.isSavedAsItWas && !$0.isCurrent) && !$0.holdsEqualBytes
                && $0.local?.kind == $0.remote?.kind
        },
        StepRule(only: .fetch, if: "only the bytes differ, and newer ones are to be here (S9)") {
            $0.local?.newer == .missing && !$0.isEdited && !$0.isCurrent && !$0.holdsEqualBytes
                && $0.isInPlace && $0.isDescribedAsBase
        },
        StepRule(only: .move, if: "only this device moved it") {
            $0.mayMove && !$0.isInPlace && $0.base != nil && !$0.wasMovedThere
                && $0.local?.wouldHoldItself == false
        },
        StepRule(only: .relocate, if: "the store moved it, or its place here is impossible") {
            $0.mayMove && !$0.isInPlace
                && ($0.base == nil || $0.wasMovedThere || $0.local?.wouldHoldItself == true)
        },
        StepRule(only: .describe, if: "nothing that the store changed is undone") {
            $0.holdsEqualBytes && $0.isInPlace && !$0.isDescribedAlike && $0.describesOnlyHere
        },
        StepRule(only: .redescribe, if: "the store changed something, or nobody knows who did") {
            $0.holdsEqualBytes && $0.isInPlace && !$0.isDescribedAlike && !$0.describesOnlyHere
        },
    ]

    /// Who waits, waits for something that is so.
    private static let waits = [
        StepRule(only: .wait(.writer), if: "there is a writer") { $0.local?.isHeld == true },
        StepRule(only: .wait(.children), if: "there are children") {
            $0.remoteHasChildren || $0.local?.hasChildren == true
        },
        StepRule(only: .wait(.digest), if: "a digest is unknown") { $0.lacksDigest },
        StepRule(only: .wait(.departure), if: "it departs, and the store has it") {
            $0.local?.isDeparting == true && $0.remote != nil
        },
    ]
}
