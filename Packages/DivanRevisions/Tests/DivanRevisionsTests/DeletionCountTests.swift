import DivanRevisions
import Testing

/// The order in which conflicts between deleted, restored and edited documents are decided.
@Suite struct DeletionCountTests {
    private static let wall: UInt64 = 1_800_000_000_000_000_000
    private static let sources = [
        "rGxJD77SR0+odh7PeEHKXA", "VYU9gI0kQIWF+V5BljXDyA", "2mUzqBSYRtqDXrs1t9uWXw",
    ]

    private func author(_ index: Int, _ minutes: UInt64) throws -> RevisionAuthor {
        let version = try #require(Version("18e9af52a2ab0000@" + Self.sources[index]))
        let wall = Self.wall + minutes * 60_000_000_000
        return RevisionAuthor(source: version.source, clock: HybridClock(), wall: wall)
    }

    private func save(
        _ history: inout any RevisionHistory,
        by index: Int,
        at minutes: UInt64,
        isTombstone: Bool = false
    ) throws {
        var author = try author(index, minutes)
        let body = Array(#"{"by":\#(index),"at":\#(minutes)}"#.utf8)
        let edit = LocalEdit(
            parent: history.current?.id,
            isTombstone: isTombstone,
            body: isTombstone ? Array("{}".utf8) : body
        )
        _ = try history.save(edit, by: &author)
        history.assignSequence(minutes)
    }

    private func place(_ history: any RevisionHistory) throws -> Precedence {
        let id = try #require(history.current).id
        return try #require(history.precedence(of: id))
    }

    /// A deletion wins over an edit without knowledge of it, and what was restored after it over both.
    @Test func `a restored document wins over an edit that did not know the deletion`() throws {
        var deleted = RevisionScheme.vectors.emptyHistory
        try save(&deleted, by: 0, at: 1)
        var edited = deleted
        try save(&deleted, by: 1, at: 2, isTombstone: true)
        var restored = deleted
        try save(&restored, by: 2, at: 3)
        try save(&edited, by: 0, at: 9)
        let order = try [edited, deleted, restored].map(place)
        #expect(order == order.sorted())
        try save(&restored, by: 2, at: 4)
        #expect(try place(edited) < place(restored))
        var again = restored
        try save(&again, by: 0, at: 5, isTombstone: true)
        try save(&restored, by: 2, at: 9)
        #expect(try place(restored) < place(again))
        #expect(try place(again).deletionCount == 2)
    }

    @Test func `of two deletions or two edits the later wins`() throws {
        var first = RevisionScheme.vectors.emptyHistory
        try save(&first, by: 0, at: 1)
        var second = first
        for (time, isTombstone) in [(2, false), (4, true)] as [(UInt64, Bool)] {
            try save(&first, by: 1, at: time, isTombstone: isTombstone)
            try save(&second, by: 2, at: time + 1, isTombstone: isTombstone)
            #expect(try place(first) < place(second))
        }
    }

    @Test func `only Divan peers receive the number of deletions`() throws {
        var history = RevisionScheme.vectors.emptyHistory
        try save(&history, by: 0, at: 1)
        try save(&history, by: 0, at: 2, isTombstone: true)
        #expect(history.isSingle, "a first deletion needs no entry")
        try save(&history, by: 0, at: 3)
        #expect(!history.isSingle)
        let id = try #require(history.current).id
        let counted = RevisionID(try #require(Version("10000000001@Deletions+For+Ordering")))
        for isDivan in [true, false] {
            let ancestry = history.ancestry(
                of: id,
                limit: 20,
                until: [],
                takesTreeIDs: isDivan,
                random: FixedRandom()
            )
            #expect(ancestry.ids == (isDivan ? [counted] : []))
        }
        #expect(history.names(behind: id) == [id])
        #expect(history.text(of: id) == id.description)
        let current = try #require(history.current)
        let bytes = history.encoded()
        let reloaded = try RevisionScheme.vectors.history(decoding: bytes.span, current: current)
        #expect(reloaded.precedence(of: id) == history.precedence(of: id))
    }

    @Test func `a received revision keeps the number of deletions behind it`() throws {
        var history = RevisionScheme.vectors.emptyHistory
        var author = try author(0, 10)
        try save(&history, by: 0, at: 1)
        try save(&history, by: 0, at: 2, isTombstone: true)
        let tombstone = try #require(history.current).id
        // From a peer that counts nothing.
        let received = ReceivedRevision(
            try #require(RevisionID(ofAnyScheme: "18fae27693b50000@" + Self.sources[1])),
            ancestry: RevisionAncestry([tombstone]),
            body: Array("{}".utf8),
            remote: nil,
            refusesConflicts: true
        )
        #expect(try history.insert(received, by: &author) == .inserted(isConflict: false))
        #expect(try place(history).deletionCount == 1)
    }

    /// 2⁶⁰ deletions have certainly not happened.
    @Test(arguments: [(1, 2), (1 << 60, VersionLimits.deletionCount)] as [(UInt64, UInt64)])
    func `a received number of deletions is used up to a limit`(
        count: UInt64,
        countAfterDeletion: UInt64
    ) throws {
        var history = RevisionScheme.vectors.emptyHistory
        var author = try author(0, 10)
        let time = (1 << 40) + count
        let counted = RevisionID(try #require(Version(time: time, source: .deletions)))
        let received = ReceivedRevision(
            try #require(RevisionID(ofAnyScheme: "18fae27693b50000@" + Self.sources[1])),
            ancestry: RevisionAncestry([counted]),
            body: Array("{}".utf8),
            remote: nil,
            refusesConflicts: true
        )
        #expect(try history.insert(received, by: &author) == .inserted(isConflict: false))
        #expect(try place(history).deletionCount == min(count, VersionLimits.deletionCount))
        try save(&history, by: 0, at: 11, isTombstone: true)
        #expect(try place(history).deletionCount == countAfterDeletion)
    }

    @Test func `the pseudo source cannot write or merge a revision`() throws {
        let counted = try #require(Version(time: 1 << 40 + 1, source: .deletions))
        let writer = try #require(Version("18fae27693b50000@" + Self.sources[1]))
        for versions in [[counted], [counted, writer], [writer, counted]] {
            #expect(throws: VersionError.pseudoSource(.deletions)) {
                try VersionVector(versions, mergeCount: 1)
            }
        }
        var author = try author(0, 10)
        #expect(throws: RevisionError.badVersion(.pseudoSource(.deletions))) {
            try author.admit(RevisionID(counted), in: .vectors)
        }
    }

    @Test func `the number of deletions outlives a thousand writers`() throws {
        let writers = try (0..<VersionLimits.previousCount + 5).map { index in
            let bytes = (0..<16).map { UInt8(truncatingIfNeeded: (index + 1) >> (8 * ($0 % 2))) }
            let source = try #require(SourceID(bytes: bytes))
            return try #require(Version(time: 1 << 50 + UInt64(index), source: source))
        }
        let counted = try #require(Version(time: 1 << 40 + 3, source: .deletions))
        let vector = try VersionVector([writers[0], counted] + writers.dropFirst(), mergeCount: 0)
        let kept = vector.pruned()
        #expect(kept.versions.count == 1 + VersionLimits.previousCount)
        #expect(kept.time(of: .deletions) == counted.time)
        let next = try #require(SourceID(bytes: Array(repeating: 9, count: 16)))
        let saved = kept.saved(by: next, at: 1 << 51)
        #expect(saved.time(of: .deletions) == counted.time)
    }
}
