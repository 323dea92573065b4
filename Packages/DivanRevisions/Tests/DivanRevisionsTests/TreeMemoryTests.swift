import DivanRevisions
import Testing

/// What a database of version vectors remembers of the trees that it, or its peers, upgraded from.
@Suite struct TreeMemoryTests {
    private static let wall: UInt64 = 1_800_000_000_000_000_000
    private static let here = "rGxJD77SR0+odh7PeEHKXA"
    private static let there = "VYU9gI0kQIWF+V5BljXDyA"
    private static let remote = RemoteID(rawValue: 1)
    private static let version = "18e9af52b30f0000@" + there

    private func id(_ text: String) throws -> RevisionID {
        try #require(RevisionID(ofAnyScheme: text))
    }

    private func author() throws -> RevisionAuthor {
        let source = try #require(SourceID(Self.here))
        return RevisionAuthor(source: source, clock: HybridClock(), wall: Self.wall)
    }

    private func received(
        _ name: String,
        _ history: String = "",
        isTombstone: Bool = false,
        from remote: RemoteID? = Self.remote
    ) throws -> ReceivedRevision {
        let id = try id(name)
        return ReceivedRevision(
            id,
            ancestry: try RevisionAncestry(of: id, text: history),
            flags: isTombstone ? .tombstone : [],
            body: Array("{\"by\":\"\(name)\"}".utf8),
            remote: remote,
            refusesConflicts: remote == nil
        )
    }

    /// The history of a document here, of which the remote had another revision.
    private func decided(
        _ local: (String, String),
        _ remote: (String, String),
        as decision: HistoryDecision
    ) throws -> any RevisionHistory {
        var author = try author()
        var history = RevisionScheme.vectors.emptyHistory
        _ = try history.insert(received(local.0, local.1, from: nil), by: &author)
        history.assignSequence(7)
        _ = try history.insert(received(remote.0, remote.1), by: &author)
        let ends = try #require(history.conflict)
        _ = try history.end(
            (ends.local.id, ends.remote.id),
            as: decision,
            closesRemote: true,
            by: &author
        )
        #expect(!history.isConflicted)
        return history
    }

    private func knows(_ name: String, _ history: any RevisionHistory) throws -> Bool {
        let current = try #require(history.current)
        return history.isAncestor(try id(name), of: current.id)
    }

    @Test func `a tree revision that wins over another one still includes its own ancestors`()
        throws
    {
        let history = try decided(("2-bb", "1-aa"), ("1-cc", ""), as: .keepLocal)
        #expect(history.current?.id == (try id("2bb00000000@Revision+Tree+Encoding")))
        for name in ["1-cc", "1-aa"] { #expect(try knows(name, history), "\(name)") }
        #expect(try !knows("1-dd", history), "an earlier generation alone is no ancestor")
    }

    @Test func `a merge includes the tree revisions of both sides`() throws {
        let body = HistoryDecision.merge(body: Array("{}".utf8), hasBlobs: false)
        let history = try decided(("2-bb", "1-aa"), ("2-dd", "1-cc"), as: body)
        for name in ["2-dd", "1-cc", "2-bb", "1-aa"] {
            #expect(try knows(name, history), "\(name)")
        }
        #expect(history.text(of: try #require(history.current?.id)).contains("2-dd, 1-cc, 2-bb"))
    }

    @Test func `a version that wins over a tree revision includes it and gets no tree IDs`() throws
    {
        let history = try decided(("2-bb", "1-aa"), (Self.version, ""), as: .keepRemote)
        #expect(history.current?.id == (try id(Self.version)))
        #expect(try knows("2-bb", history))
        #expect(!history.text(of: try id(Self.version)).contains("-"))
    }

    @Test func `a remote can have a tree revision that is identified only by its version`() throws {
        let other = RemoteID(rawValue: 2)
        for name in ["2-bb", "2bb00000000@Revision+Tree+Encoding"] {
            var history = try decided(("2-bb", ""), (Self.version, ""), as: .keepRemote)
            #expect(history.text(of: try id(Self.version)).contains("2bb00000000@"))
            history.markLatest(try id(name), at: other, goesBack: true)
            #expect(history.latest(at: other) == (try id(name)))
        }
    }

    /// Each of two peers let the other's revision win.
    @Test(arguments: [true, false])
    func `of two tree revisions that won over each other both peers keep the same one`(
        isGreater: Bool
    ) throws {
        let names = isGreater ? ("1-aa", "1-bb") : ("1-bb", "1-aa")
        var history = try decided((names.0, ""), (names.1, ""), as: .keepRemote)
        history.assignSequence(8)
        #expect(history.current?.id == (try id(names.1)))
        var author = try author()
        let known = history.ancestry(
            of: try id(names.1),
            limit: 20,
            until: [try id(names.0)],
            random: FixedRandom()
        )
        #expect(known.ids.map(\.description) == [names.0])
        _ = try history.insert(received(names.0, names.1), by: &author)
        #expect(history.current?.id == (try id("1-bb")))
        #expect(!history.isConflicted)
    }

    /// Sync Gateway sends one without a past, after it had the deletion.
    ///
    /// Any other is in conflict with the deletion (`VectorReceivingTests`).
    @Test(arguments: ["2-dd", Self.version])
    func `a tree revision that restores a document includes the deletion from then on`(
        deletion: String
    ) throws {
        var author = try author()
        var history = RevisionScheme.vectors.emptyHistory
        let before = deletion.contains("@") ? "" : "1-cc"
        _ = try history.insert(received(deletion, before, isTombstone: true), by: &author)
        history.assignSequence(7)
        let live = try received("1-aa")
        #expect(
            try history.insert(live, by: &author) == .inserted(isConflict: false, isUnaware: true)
        )
        #expect(history.current?.id == (try id("1aa00000000@Revision+Tree+Encoding")))
        #expect(try knows(deletion, history) && knows("1-aa", history))
        let again = try received(deletion, before, isTombstone: true, from: nil)
        #expect(try history.insert(again, by: &author) == .overtaken)

        // The peer that made it knows it by its first name.
        let edit = try received("18e9af52c30f0000@" + Self.there, "1-aa", from: nil)
        #expect(try history.insert(edit, by: &author) == .inserted(isConflict: false))
    }

    /// The remote has the converted form, for which it sent no tree IDs; a vector sent without any
    /// would count as older than that, and that as older than the vector, for ever.
    @Test func `a Divan peer always receives the tree IDs of all known revisions`() throws {
        var author = try author()
        var history = RevisionScheme.vectors.emptyHistory
        let converted = "2bb00000000@Revision+Tree+Encoding"
        _ = try history.insert(received(converted, from: Self.remote), by: &author)
        history.assignSequence(7)
        let ours = try received(Self.version, converted + ", 2-bb, 1-aa", from: nil)
        #expect(try history.insert(ours, by: &author) == .inserted(isConflict: false))
        let told = { (takesTreeIDs: Bool) in
            history.ancestry(
                of: try self.id(Self.version),
                limit: 20,
                until: [try self.id(converted)],
                takesTreeIDs: takesTreeIDs,
                random: FixedRandom()
            ).ids.map(\.description)
        }
        #expect(try told(true) == [converted, "2-bb", "1-aa"])
        #expect(try told(false) == [converted])
    }

    /// A revision that a tree's revision replaced is not its ancestor, but Couchbase Lite takes it for one.
    @Test func `a Divan peer also receives the revisions that a tree revision won over`() throws {
        let history = try decided(("1-aa", ""), ("2-bb", "1-cc"), as: .keepRemote)
        let told = { (takesTreeIDs: Bool) in
            history.ancestry(
                of: try self.id("2-bb"),
                limit: 20,
                until: [try self.id("1aa00000000@Revision+Tree+Encoding")],
                takesTreeIDs: takesTreeIDs,
                random: FixedRandom()
            ).ids.map(\.description)
        }
        #expect(try told(true) == ["1-cc", "1-aa"])
        #expect(try told(false) == ["1-cc"])
    }

    @Test func `the later of two converted tree IDs does not include the earlier one`() throws {
        let first = try MixedVector("1aa00000000@Revision+Tree+Encoding; 1-aa")
        let second = try MixedVector("2bb00000000@Revision+Tree+Encoding; 2-bb")
        #expect(second.order(to: first) == .conflict)
        let both = try MixedVector("2bb00000000@Revision+Tree+Encoding; 2-bb, 1-aa")
        #expect(both.order(to: first) == .newer)
        let nameless = try MixedVector("2bb00000000@Revision+Tree+Encoding")
        #expect(nameless.order(to: first) == .newer, "as Couchbase Lite has it")
    }

    @Test func `an upgraded tree remembers closed revisions and tells peers that have them`() throws
    {
        var tree = RevisionTree()
        _ = try tree.insertLocal(id("1-aa"), parent: nil, body: Array("{\"a\":1}".utf8))
        _ = try tree.insertRemote(
            id("1-cc"),
            history: [],
            body: Array("{}".utf8),
            remote: Self.remote,
            refusesConflicts: false
        )
        try tree.resolve(local: id("1-aa"), remote: id("1-cc"), as: .keepLocal, closesRemote: true)
        tree.assignSequence(7)
        let current = try #require(tree.current)
        #expect(current.id == (try id("1-aa")))
        let history = try RevisionScheme.vectors.history(
            decoding: tree.encoded().span,
            current: current
        )
        #expect(try knows("1-cc", history))
        let told = { (known: [RevisionID]) in
            history.ancestry(of: current.id, limit: 20, until: known, random: FixedRandom()).ids
        }
        #expect(try told([id("1-cc")]).last == id("1-cc"))
        #expect(told([]).isEmpty, "a branch, where nobody asks for more")
    }

    @Test func `an upgraded tree remembers what a remote has, regardless of the branch length`()
        throws
    {
        var tree = RevisionTree()
        _ = try tree.insertRemote(
            id("1-aa"),
            history: [],
            body: Array("{}".utf8),
            remote: Self.remote,
            refusesConflicts: false
        )
        for generation in 2...60 {
            let parent = try #require(tree.current?.id)
            let next = try id("\(generation)-\(String(generation + 100, radix: 16))")
            _ = try tree.insertLocal(next, parent: parent, body: Array("{\"n\":1}".utf8))
        }
        tree.assignSequence(7)
        let current = try #require(tree.current)
        let history = try RevisionScheme.vectors.history(
            decoding: tree.encoded().span,
            current: current
        )
        #expect(try knows("1-aa", history))
        #expect(history.names(behind: current.id).count <= VersionLimits.legacyCount)
    }
}
