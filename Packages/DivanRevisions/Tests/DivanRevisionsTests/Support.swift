import DivanCrypto
import DivanRevisions
import DivanTestKit
import Testing

/// The revision ID with this text.
func id(_ text: String) throws -> RevisionID {
    try #require(RevisionID(text), "\(text) is no revision ID")
}

/// The revision IDs of a comma-separated list.
func ids(_ list: String) throws -> [RevisionID] {
    try list.split(separator: ",").map { try id(String($0)) }
}

/// A body that tells which revision it belongs to.
func body(_ text: String) -> [UInt8] { Array(#"{"is":"\#(text)"}"#.utf8) }

/// The remote that most tests sync with.
let remote = RemoteID(rawValue: 1)

extension RevisionTree {
    /// Adds `"3-cc,2-bb,1-aa"`, newest first, as a peer would send it.
    @discardableResult
    mutating func receive(
        _ list: String,
        from source: RemoteID? = remote,
        flags: RevisionFlags = [],
        refusesConflicts: Bool = false
    ) throws -> InsertOutcome {
        let listed = try ids(list)
        return try insertRemote(
            listed[0],
            history: Array(listed.dropFirst()),
            flags: flags,
            body: body(listed[0].description),
            remote: source,
            refusesConflicts: refusesConflicts
        )
    }

    /// Adds a local revision on the current one.
    @discardableResult
    mutating func save(_ text: String, isTombstone: Bool = false) throws -> RevisionID {
        let bytes = isTombstone ? Array("{}".utf8) : body(text)
        let new = try RevisionID.digesting(
            parent: current?.id,
            isTombstone: isTombstone,
            canonicalBody: bytes.span
        )
        try insertLocal(new, parent: current?.id, isTombstone: isTombstone, body: bytes)
        return new
    }

    /// The IDs of all leaves, the winner first.
    var leafList: String { leaves.map(\.id.description).joined(separator: ",") }

    /// The tree after it was stored and read again.
    func reloaded() throws -> RevisionTree {
        let current = try #require(current)
        return try RevisionTree(
            decoding: encoded().span,
            currentID: current.id,
            currentSequence: current.sequence,
            currentBody: current.body
        )
    }

    /// A tree grown by random edits, pulls, marks and resolutions.
    static func arbitrary(using generator: inout SeededGenerator) throws -> RevisionTree {
        var tree = RevisionTree()
        for step in 1...Int.random(in: 1...30, using: &generator) {
            let source = RemoteID(rawValue: .random(in: 1...2, using: &generator))
            switch Int.random(in: 0..<6, using: &generator) {
            case 0, 1:
                try tree.save("\(step)", isTombstone: .random(in: 0..<5, using: &generator) == 0)
            case 2, 3:
                try tree.receiveArbitrary(from: source, using: &generator)
            case 4:
                if let marked = tree.revisions.randomElement(using: &generator) {
                    tree.markLatest(marked.id, at: source)
                }
            default:
                guard let (local, remote) = tree.conflict else { continue }
                let decisions: [Decision] = [
                    .keepLocal, .keepRemote, .delete, .merge(body: body("m"), hasBlobs: true),
                ]
                let decision = decisions.randomElement(using: &generator) ?? .keepRemote
                try tree.resolve(local: local.id, remote: remote.id, as: decision)
            }
            if Bool.random(using: &generator) { tree.assignSequence(UInt64(step)) }
        }
        if tree.revisions.isEmpty { try tree.save("only") }
        return tree
    }

    private mutating func receiveArbitrary(
        from source: RemoteID,
        using generator: inout SeededGenerator
    ) throws {
        var history = revisions.randomElement(using: &generator).map {
            lineage(of: $0.id).map(\.id)
        }
        let skipped = Int.random(in: 0...2, using: &generator)
        history = history.map { Array($0.dropFirst(skipped)) }
        let generation = (history?.first?.generation ?? 0) + 1
        let digest = (0..<4).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let made = RevisionID(generation: generation, digestBytes: digest.span)
        let new = try #require(made)
        _ = try insertRemote(
            new,
            history: history ?? [],
            flags: .random(in: 0..<5, using: &generator) == 0 ? .tombstone : [],
            body: body("\(new)"),
            remote: .random(using: &generator) ? source : nil,
            refusesConflicts: false
        )
    }
}

/// Fixed bytes instead of random ones, so that made-up IDs can be compared.
struct FixedRandom: RandomSource {
    func bytes(_ count: Int) -> [UInt8] { Array(repeating: 0xAB, count: count) }
}
