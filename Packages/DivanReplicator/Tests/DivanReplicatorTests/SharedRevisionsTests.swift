import DivanBLIP
import DivanRevisions
import DivanStore
import Testing

// That nothing is kept only affects the time, so this test looks inside.
@testable import DivanReplicator

/// Connections share what they send only if there is somebody to share it with.
@Suite struct SharedRevisionsTests {
    @Test
    func `a single connection stores nothing for sharing`() {
        let shared = SharedRevisions(of: .inMemory())
        let first = shared.join()
        #expect(first.revisions == nil)
        var second: SharedRevisions.Membership? = shared.join()
        #expect(first.revisions === shared)
        #expect(second?.revisions === shared)
        second = nil
        #expect(first.revisions == nil)
    }

    /// A first pull of many deletions, by two clients at the same time.
    @Test func `short messages count with the memory of their keys`() throws {
        let shared = SharedRevisions(of: .inMemory(), byteCount: 1 << 20)
        let revisionID = try #require(RevisionID("1-aa"))
        let keys = (1...20_000).map { number in
            SharedRevisions.Key(
                path: .default,
                documentID: DocumentID(unchecked: "doc\(number)"),
                revisionID: revisionID,
                sequence: UInt64(number),
                wireIndex: 0,
                historyCount: 50,
                takesTreeIDs: false,
                understandsBlobs: true
            )
        }
        let body = Array("{}".utf8)
        let message = SharedRevisions.Message(properties: ["Profile": "rev"], body: body)
        shared.keep(keys.map { (key: $0, message: message) }, from: shared.messages([]).epoch)
        let kept = shared.messages(keys).found.count { $0 != nil }
        #expect((100...2_048).contains(kept))
    }
}
