import DivanRevisions
import DivanStore
import Testing

/// The example of the README, so that it stays correct.
@Suite struct ReadmeTests {
    @Test func `the README example works`() throws {
        let store = Store.inMemory()
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
