import DivanRevisions
import Testing

/// The README's examples of version vectors and of both schemes, word for word.
@Suite struct ReadmeTests {
    private let publicUUID = [UInt8](repeating: 7, count: 16)
    private let wall: UInt64 = 1_800_000_000_000_000_000

    @Test func `a revision saved over another one is newer`() throws {
        let stored: UInt64 = 0
        let theirs = try VersionVector("18e9af5824300000@BBBBBBBBBBBBBBBBBBBBBA")
        var isSaved = false
        defer { #expect(isSaved) }
        var clock = HybridClock(last: stored)
        guard let source = SourceID(bytes: publicUUID), let time = clock.now(wall: wall) else {
            return
        }
        let mine = theirs.saved(by: source, at: time)
        let order = mine.order(to: theirs)
        #expect(order == .newer)
        isSaved = true
    }

    @Test(arguments: RevisionScheme.allCases)
    func `a history saves, receives and resolves a conflict`(_ scheme: RevisionScheme) throws {
        let source = try #require(SourceID(bytes: publicUUID))
        var author = RevisionAuthor(source: source, clock: HybridClock(), wall: wall)
        let body = Array("{}".utf8)
        let name = scheme == .trees ? "1-abcd" : "18e9af5824300000@BBBBBBBBBBBBBBBBBBBBBA"
        let received = ReceivedRevision(
            try #require(RevisionID(ofAnyScheme: name)),
            body: Array(#"{"theirs":true}"#.utf8),
            remote: RemoteID(rawValue: 1),
            refusesConflicts: false
        )
        var history = scheme.emptyHistory  // any RevisionHistory
        _ = try history.save(LocalEdit(parent: nil, body: body), by: &author)
        _ = try history.insert(received, by: &author)
        var hadConflict = false
        if let (local, remote) = history.conflict {
            _ = try history.end(
                (local.id, remote.id),
                as: .keepLocal,
                closesRemote: true,
                by: &author
            )
            hadConflict = true
        }
        #expect(hadConflict)
        #expect(history.conflict == nil)
    }
}
