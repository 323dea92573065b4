import DivanRevisions
import Testing

/// How a database of version vectors treats revisions that know each other, or that are the same.
@Suite struct VectorReceivingTests {
    private static let wall: UInt64 = 1_800_000_000_000_000_000
    private static let here = "rGxJD77SR0+odh7PeEHKXA"
    private static let there = "VYU9gI0kQIWF+V5BljXDyA"
    private static let third = "18e9af52a2ab0000@2mUzqBSYRtqDXrs1t9uWXw"
    private static let digest = "1eb9f18cfe8400000000000000000000000000ff"

    private func author() throws -> RevisionAuthor {
        let source = try #require(Version("18e9af52a2ab0000@" + Self.here)?.source)
        return RevisionAuthor(source: source, clock: HybridClock(), wall: Self.wall)
    }

    private func received(
        _ id: String,
        _ history: String,
        remote: RemoteID?,
        body: String = "{}"
    ) throws -> ReceivedRevision {
        let id = try #require(RevisionID(ofAnyScheme: id))
        return ReceivedRevision(
            id,
            ancestry: try RevisionAncestry(of: id, text: history),
            body: Array(body.utf8),
            remote: remote,
            refusesConflicts: remote == nil
        )
    }

    /// Each of two neighbours gave up the other's revision for its own.
    @Test(arguments: [nil, RemoteID(rawValue: 1)])
    func
        `receiving the smaller of two revisions that crossed announces the greater one again`(
            remote: RemoteID?
        ) throws
    {
        var author = try author()
        var history = RevisionScheme.vectors.emptyHistory
        let (smaller, greater) = ("18e9af52a2ab0000@" + Self.here, "18e9af52b30f0000@" + Self.there)
        _ = try history.insert(received(greater, smaller, remote: nil), by: &author)
        history.assignSequence(7)
        let outcome = try history.insert(received(smaller, greater, remote: remote), by: &author)
        #expect(outcome == .givenUp)
        #expect(history.current?.id.description == greater)
        #expect(history.current?.sequence == 0, "it is to be announced anew")
        #expect(!history.isConflicted)
    }

    /// A third peer let ours win while it was in flight to us; its sender may have let it win over ours.
    @Test func `a revision that was overtaken in flight is distinguished from a known one`() throws
    {
        var author = try author()
        var history = RevisionScheme.vectors.emptyHistory
        let (ours, theirs) = ("18e9af52a2ab0000@" + Self.here, "18e9af52b30f0000@" + Self.there)
        _ = try history.insert(received(ours, theirs, remote: nil), by: &author)
        history.assignSequence(7)
        #expect(try history.insert(received(theirs, "", remote: nil), by: &author) == .overtaken)
        #expect(try history.insert(received(ours, "", remote: nil), by: &author) == .alreadyThere)
        // A peer that announces before it sends was answered already.
        let remote = RemoteID(rawValue: 1)
        #expect(
            try history.insert(received(theirs, "", remote: remote), by: &author) == .alreadyThere
        )
        #expect(history.current?.id.description == ours)
        #expect(history.current?.sequence == 7)
    }

    /// The name of a tree revision has no room for what it won over; only the version has.
    @Test func `a tree revision includes the revisions that its parent won over`() throws {
        let remote = RemoteID(rawValue: 1)
        let first = "1-feb9f18cfe8400000000000000000000000000ff"
        let second = "2-11b9f18cfe8400000000000000000000000000ff"
        let third = "3-22b9f18cfe8400000000000000000000000000ff"
        var author = try author()
        var history = RevisionScheme.vectors.emptyHistory
        _ = try history.insert(received(first, "", remote: remote), by: &author)
        let edit = LocalEdit(parent: history.current?.id, body: Array("mine".utf8))
        _ = try history.save(edit, by: &author)
        let lost = try #require(history.current?.id)
        _ = try history.insert(received(second, first, remote: remote), by: &author)
        let (local, other) = try #require(history.conflict)
        let kept = try history.end(
            (local.id, other.id),
            as: .keepRemote,
            closesRemote: false,
            by: &author
        )
        #expect(kept.version?.source == .revisionTree)
        let outcome = try history.insert(
            received(third, "\(second), \(first)", remote: remote, body: "theirs"),
            by: &author
        )
        #expect(outcome == .inserted(isConflict: false))
        let current = try #require(history.current)
        #expect(current.body == Array("theirs".utf8))
        #expect(history.isAncestor(lost, of: current.id))
        #expect(
            try history.insert(received(third, second, remote: remote), by: &author)
                == .alreadyThere
        )
    }

    @Test func `a full list of tree IDs has space for revisions that were won over`() throws {
        let tree = { (generation: Int, branch: Int) in
            try #require(RevisionID("\(generation)-\(String(4_096 + branch, radix: 16))"))
        }
        var mixed = MixedVector(legacy: try (1...50).reversed().map { try tree($0, 0) })
        var heads = [try tree(50, 0)]
        for branch in 1...90 {
            let generations = 1...(1 + branch % 7)
            let other = MixedVector(legacy: try generations.reversed().map { try tree($0, branch) })
            heads.append(try #require(other.current))
            mixed = mixed.knowing(other)
            #expect(mixed.legacy.count == VersionLimits.legacyCount)
            #expect(mixed.current == heads[0])
            #expect(heads.suffix(25).allSatisfy { mixed.knows($0) }, "branch \(branch)")
        }
    }

    @Test func `a remote that converted our tree ID has our revision`() throws {
        let remote = RemoteID(rawValue: 1)
        var author = try author()
        var history = RevisionScheme.vectors.emptyHistory
        let tree = "1-feb9f18cfe8400000000000000000000000000ff"
        _ = try history.insert(received(tree, "", remote: nil), by: &author)
        history.assignSequence(7)
        let converted = try received(
            "1feb9f18cfe@Revision+Tree+Encoding",
            "18e9af52b30f0000@" + Self.there,
            remote: remote
        )
        #expect(try history.insert(converted, by: &author) == .alreadyThere)
        #expect(history.current?.id.description == tree)
        #expect(history.latest(at: remote) == history.current?.id)
    }

    /// Sync Gateway leaves deletions out of a first pull; a Divan peer names them.
    @Test(arguments: [true, false])
    func `a new document wins over a tombstone only if the peer may have left it out`(
        isDivan: Bool
    ) throws {
        let (old, new) = ("18e9af52a2ab0000@" + Self.here, "18e9af52b30f0000@" + Self.there)
        let remote = RemoteID(rawValue: 1)
        var tombstone = try received(old, "", remote: remote)
        tombstone.flags = .tombstone
        tombstone.keepsOrder = isDivan

        var author = try author()
        var history = RevisionScheme.vectors.emptyHistory
        _ = try history.insert(received(new, "", remote: nil), by: &author)
        history.assignSequence(7)
        let outcome = try history.insert(tombstone, by: &author)
        #expect(outcome == (isDivan ? .inserted(isConflict: true) : .givenUp))
        #expect(history.current?.id.description == new)
        guard !isDivan else { return }
        #expect(history.current?.sequence == 0, "it is to be announced anew")
        let tombstoneID = try #require(RevisionID(ofAnyScheme: old))
        #expect(history.isAncestor(tombstoneID, of: try #require(history.current).id))
    }

    @Test(arguments: [nil, RemoteID(rawValue: 1)])
    func `a new document is in conflict with a deletion that it does not know`(
        remote: RemoteID?
    ) throws {
        var author = try author()
        var history = RevisionScheme.vectors.emptyHistory
        var tombstone = try received("18e9af52a2ab0000@" + Self.here, "", remote: remote)
        tombstone.flags = .tombstone
        tombstone.keepsOrder = true
        _ = try history.insert(tombstone, by: &author)
        var live = try received("18e9af52b30f0000@" + Self.there, "", remote: remote)
        live.keepsOrder = true
        let outcome = try history.insert(live, by: &author)
        #expect(outcome == (remote == nil ? .conflict : .inserted(isConflict: true)))
    }

    /// Who deleted it may have left out that the document was seen.
    @Test func `a document created before a deletion conflicts with it`() throws {
        var author = try author()
        var history = RevisionScheme.vectors.emptyHistory
        var tombstone = try received("18e9af52b30f0000@" + Self.here, "", remote: nil)
        tombstone.flags = .tombstone
        _ = try history.insert(tombstone, by: &author)
        let live = try received("18e9af52a2ab0000@" + Self.there, "", remote: nil)
        #expect(try history.insert(live, by: &author) == .conflict)
        #expect(history.current?.isTombstone == true)
    }

    /// The later version of a writer replaces the one that the deletion follows.
    @Test(arguments: [true, false])
    func `an edit by the writer of a deleted document does not restore it`(
        hadTombstone: Bool
    ) throws {
        let remote = hadTombstone ? RemoteID(rawValue: 1) : nil
        var author = try author()
        var history = RevisionScheme.vectors.emptyHistory
        let before = "18e9af52a2ab0000@" + Self.there
        var tombstone = try received("18e9af52b30f0000@" + Self.here, before, remote: remote)
        tombstone.flags = .tombstone
        _ = try history.insert(tombstone, by: &author)
        var edit = try received("18e9af52c30f0000@" + Self.there, "", remote: remote)
        edit.keepsOrder = true
        let outcome = try history.insert(edit, by: &author)
        #expect(outcome == (hadTombstone ? .inserted(isConflict: true) : .conflict))
        #expect(history.current?.isTombstone == true)
    }

    /// Sync Gateway leaves out the past of a tombstone that is in none of the user's channels.
    @Test func `a tombstone without a history follows only what its remote had`() throws {
        let remote = RemoteID(rawValue: 1)
        var author = try author()
        var history = RevisionScheme.vectors.emptyHistory
        _ = try history.insert(received(Self.third, "", remote: remote), by: &author)
        let known = history
        var tombstone = try received("18e9af52b30f0000@" + Self.there, "", remote: remote)
        tombstone.flags = .tombstone
        #expect(
            try history.insert(tombstone, by: &author)
                == .inserted(isConflict: false, isUnaware: true)
        )
        #expect(history.current?.id == tombstone.id)
        #expect(
            history.isAncestor(try #require(RevisionID(ofAnyScheme: Self.third)), of: tombstone.id)
        )

        history = known
        tombstone.remote = RemoteID(rawValue: 2)
        #expect(try history.insert(tombstone, by: &author) == .inserted(isConflict: true))

        // What is kept over it needs a name that the remote cannot have seen.
        let (local, other) = try #require(history.conflict)
        let kept = try history.end(
            (local.id, other.id),
            as: .keepLocal,
            closesRemote: false,
            by: &author
        )
        #expect(kept != local.id && kept.version?.source == author.source)
        #expect(history.isAncestor(local.id, of: kept) && history.isAncestor(other.id, of: kept))
        #expect(history.latest(at: RemoteID(rawValue: 2)) == other.id)
    }

    /// Each of two Divan peers keeps the later one, in whichever direction they meet.
    @Test func `of two deletions the greater one is kept for a Divan peer`() throws {
        let remote = RemoteID(rawValue: 1)
        var author = try author()
        var history = RevisionScheme.vectors.emptyHistory
        for id in ["18e9af52b30f0000@" + Self.here, "18e9af52a2ab0000@" + Self.there] {
            var tombstone = try received(id, Self.third, remote: remote)
            tombstone.flags = .tombstone
            _ = try history.insert(tombstone, by: &author)
        }
        let (local, other) = try #require(history.conflict)
        let decision = HistoryDecision.keepLocal
        var kept = history
        let greater = try kept.end(
            (local.id, other.id),
            as: decision,
            closesRemote: true,
            by: &author
        )
        #expect(greater == local.id)
        let theirs = try history.end(
            (local.id, other.id),
            as: decision,
            closesRemote: false,
            by: &author
        )
        #expect(theirs == other.id)
    }

    /// A peer may have edited what another one deleted: neither has settled the other's.
    @Test(arguments: [
        ("18e9af52b30f0000@" + Self.here, Self.third, "18e9af52c30f0000@" + Self.there, Self.third),
        (
            "18e9af52b30f0000@" + Self.here, "2-\(Self.digest)",
            "3-feb9f18cfe8400000000000000000000000000ff", "2-\(Self.digest)"
        ),
    ])
    func `an edit of a deleted revision is a conflict and does not restore the document`(
        deletion: String,
        before: String,
        edit: String,
        history: String
    ) throws {
        var author = try author()
        var stored = RevisionScheme.vectors.emptyHistory
        var tombstone = try received(deletion, before, remote: nil)
        tombstone.flags = .tombstone
        _ = try stored.insert(tombstone, by: &author)
        let live = try received(edit, history, remote: nil)
        #expect(try stored.insert(live, by: &author) == .conflict)
        #expect(stored.current?.isTombstone == true)
    }

    /// Each of the two knows the other, so the vectors do not tell which the remote had last.
    @Test
    func `of two revisions that crossed, a remote has the one that it announced last`()
        throws
    {
        let remote = RemoteID(rawValue: 1)
        var author = try author()
        var history = RevisionScheme.vectors.emptyHistory
        let (smaller, greater) = ("18e9af52a2ab0000@" + Self.here, "18e9af52b30f0000@" + Self.there)
        _ = try history.insert(received(greater, smaller, remote: nil), by: &author)
        history.assignSequence(7)
        let last = try #require(RevisionID(ofAnyScheme: smaller))
        history.markLatest(last, at: remote, goesBack: true)
        var old = try received(greater, smaller, remote: remote)
        old.isOutdated = true
        #expect(try history.insert(old, by: &author) == .alreadyThere)
        #expect(history.latest(at: remote) == last)
    }

    /// It is seen when it first arrives, and is older than ours from then on.
    @Test func `a merge that equals ours is recognized however often it arrives`() throws {
        var author = try author()
        var history = RevisionScheme.vectors.emptyHistory
        let merged =
            "18e9af52930f0000@VYU9gI0kQIWF+V5BljXDyw, 18e9af52830f0000@VYU9gI0kQIWF+V5BljXDzA"
        let ours = try received("18e9af52a2ab0000@" + Self.here, merged + ";", remote: nil)
        _ = try history.insert(ours, by: &author)
        let twin = try received("18e9af52b30f0000@" + Self.there, merged + ";", remote: nil)
        for _ in 0..<2 { #expect(try history.insert(twin, by: &author) == .alreadyThere) }
        #expect(history.current?.id == ours.id)
    }

    /// Both made the same merge, each under its own name, and have seen the other's.
    @Test func `a remote that keeps its own copy of our merge also has ours`() throws {
        let remote = RemoteID(rawValue: 1)
        var author = try author()
        var history = RevisionScheme.vectors.emptyHistory
        let (first, second) = ("18e9af52a2ab0000@" + Self.here, "18e9af52b30f0000@" + Self.there)
        let merged =
            "18e9af52930f0000@VYU9gI0kQIWF+V5BljXDyw, 18e9af52830f0000@VYU9gI0kQIWF+V5BljXDzA"
        _ = try history.insert(received(first, merged + "; " + second, remote: nil), by: &author)
        history.assignSequence(7)
        _ = try history.insert(
            received(second, merged + "; " + first, remote: remote),
            by: &author
        )
        #expect(history.latest(at: remote)?.description == second)
        let ours = try #require(RevisionID(ofAnyScheme: first))
        history.markLatest(ours, at: remote, goesBack: false)
        #expect(history.latest(at: remote) == ours)
    }
}
