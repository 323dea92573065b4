import DivanRevisions
import DivanSQLiteEngine
import DivanStorage
import DivanTestKit
import Testing

/// The example of the README, so that it stays correct.
@Suite struct ReadmeTests {
    @Test func `the README example works`() throws {
        let home = try TemporaryDirectory()
        let path = home.file("db.sqlite3")
        let revisionID = try #require(RevisionID("1-abcd"))

        try SQLiteEngine.create(path: path)
        let place = DatabaseFileLocation(path)
        let engine = try SQLiteEngine(place, isReadOnly: false, syncsFully: false)
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
        let stored = try engine.read { try $0.row("stay-1", in: id, content: .whole) }
        engine.close()

        #expect(stored == row)
        #expect(throws: StoreError(.notOpen, at: path)) { try engine.read { _ in } }
    }
}
