import DivanRevisions
import DivanStore
import DivanTestKit
import Testing

/// The example of the README, so that it stays correct.
@Suite struct ReadmeTests {
    @Test func `the README example works`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("travel.cblite2")

        let store = try Store.open(directory: path)
        let observation = store.observe { print("changed: \($0.changes.map(\.documentID))") }
        let body = Array(#"{"city":"Ulm"}"#.utf8)
        try store.write { writer in
            _ = try writer.save("stay-1", in: .default, body: body)
        }
        let (document, feed) = try store.read { reader in
            (
                try reader.document("stay-1", in: .default),
                try reader.changes(in: .default, after: 0, limit: 200)
            )
        }
        observation.cancel()
        try store.close()

        #expect(document?.body == body)
        #expect(feed.map(\.sequence) == [1])
    }
}
