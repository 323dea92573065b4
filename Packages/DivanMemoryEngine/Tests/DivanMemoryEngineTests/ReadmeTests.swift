import DivanMemoryEngine
import DivanRevisions
import DivanStorage
import Testing

/// The example of the README, so that it stays correct.
@Suite struct ReadmeTests {
    @Test func `the README example works`() throws {
        let revisionID = try #require(RevisionID("1-abcd"))

        let engine = MemoryEngine()
        let row = DocumentRow(
            documentID: "stay-1",
            sequence: 1,
            revisionID: revisionID,
            flags: [],
            tree: .single(knownAt: nil),
            body: Array(#"{"city":"Ulm"}"#.utf8)
        )
        let id = try engine.write { transaction in
            var state = try transaction.createCollection(.default)
            state.take(row)
            try transaction.put(row, leaving: state)
            return state.id
        }
        let copy = engine.copy()
        _ = try engine.write { try $0.remove("stay-1", in: id) }
        let (removed, kept) = (
            try engine.read { try $0.row("stay-1", in: id, content: .whole) },
            try copy.read { try $0.row("stay-1", in: id, content: .whole) }
        )

        #expect(removed == nil)
        #expect(kept == row)
    }
}
