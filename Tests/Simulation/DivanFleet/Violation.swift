/// A promise that was broken.
public struct Violation: Hashable, Sendable {
    /// Which promise.
    public enum Kind: String, Sendable, CaseIterable {
        /// Connected peers hold different revisions.
        case diverged = "not converged"
        /// An acknowledged edit is in no history and no resolution replaced it.
        case lost = "edit lost"
        /// A revision that no node created, or with another body than it was created with.
        case invented = "revision invented"
        /// A vector claims versions that the revision's creator or chooser had not seen.
        case overstated = "past overstated"
        /// A document refers to a blob that is missing.
        case blobMissing = "blob missing"
        /// A document is where no filter permits it.
        case filterIgnored = "filter ignored"
        /// A tombstone was lost.
        case tombstoneGone = "tombstone gone"
        /// A revision was proposed to the peer that it came from.
        case echoed = "revision echoed"
        /// Revisions change places, or cost more messages than their number explains.
        case turning = "change of places"
        /// A document was resolved repeatedly.
        case pingPong = "ping-pong"
        /// A conflict was resolved against the rule.
        case wrongWinner = "wrong winner"
        /// A checkpoint claims what is not stored.
        case checkpointAhead = "checkpoint ahead of data"
        /// A document is still in conflict, or not pushed yet, when all have come to rest.
        case unfinished = "work left over"
        /// Messages continue although nothing changes.
        case restless = "no rest"
        /// A queue grew beyond its bound.
        case unbounded = "queue without bound"
        /// A store refused what it must accept.
        case refused = "store refused"
        /// The files of a node could not be stored on this machine: the run proves nothing.
        case unsimulated = "machine failed"
    }

    /// Which promise.
    public let kind: Kind
    /// Where, and what was found.
    public let text: String

    /// Creates a violation.
    init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }
}

extension Violation: CustomStringConvertible {
    /// The promise, and what was found.
    public var description: String { "\(kind.rawValue): \(text)" }
}
