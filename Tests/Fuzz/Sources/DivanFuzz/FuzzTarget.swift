/// One reader of external bytes, and the rule that no bytes may break it.
///
/// `make fuzz` gives it mutated inputs under the address sanitizer; ordinary tests give it its
/// seeds and every input that was once found.
public protocol FuzzTarget: Sendable {
    /// The name in `make fuzz` and of the folder under `Found`.
    static var name: String { get }

    /// Feeds one input and returns what it broke, or `nil`.
    ///
    /// Depends only on the input. A trap, a hang or growth beyond the limits is a failure too.
    static func violation(of input: [UInt8]) -> String?

    /// Inputs to start from, made from the packages' own fixtures.
    static func seeds() throws -> [[UInt8]]

    /// A mutation that keeps the form of an input, at most `limit` bytes; `nil` if only bytes are
    /// changed.
    static func mutated(_ input: [UInt8], limit: Int, seed: UInt64) -> [UInt8]?
}

extension FuzzTarget {
    /// Inputs without a form of their own.
    public static func mutated(_ input: [UInt8], limit: Int, seed: UInt64) -> [UInt8]? { nil }
}

/// Every target.
public enum FuzzTargets {
    /// In the order in which `make fuzz` runs them.
    public static let all: [any FuzzTarget.Type] = [
        WebSocketFrames.self, ServerHeads.self, ClientHeads.self, HTTPRequests.self,
        BLIPDeflateFrames.self,
        BLIPLZ4Frames.self, TLSServerRecords.self, TLSClientRecords.self, DeflatePieces.self,
        LZ4Pieces.self, MixedPieces.self, JSONTexts.self, JSONDeltas.self, Revisions.self,
        VersionVectors.self, PassiveMessages.self, ActiveMessages.self, Credentials.self,
        Texts.self,
        ReplicatorRuns.self, ListenerVisits.self, QueryTexts.self, QueryTrees.self,
        QueriedDocuments.self, ForeignRecords.self, SealedBlobs.self, SealedDatabases.self,
        PackedPieces.self, ZstdPieces.self, PackedDatabases.self,
    ]
}
