import DivanRevisions
import DivanSQLite
import DivanTestKit
import Testing

@testable import DivanDatabase
// The log is copied into the file by a connection of the test's own.
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// Pages that a scan has read ahead are those of its snapshot.
@Suite struct ReadAheadTests {
    private static let documentCount = 600

    private func body(_ number: Int, round: Int) -> [UInt8] {
        // Bodies of one page, of several, and of a row that shares its page.
        let length = [200, 1_200, 9_000][number % 3]
        let padding = String(repeating: "x", count: length)
        return Array(#"{"n":\#(number),"round":\#(round),"text":"\#(padding)"}"#.utf8)
    }

    private func id(_ number: Int) -> DocumentID { DocumentID(unchecked: "doc-\(number)") }

    private func save(_ numbers: [Int], round: Int, in store: Store) throws {
        try store.write { writer in
            for number in numbers {
                _ = try writer.save(id(number), in: .default, body: body(number, round: round))
            }
        }
    }

    @Test func `a scan with read-ahead sees a single snapshot during writes and checkpoints`()
        throws
    {
        let home = try TemporaryDirectory()
        let store = try Store.open(directory: home.file("a.cblite2"))
        defer { try? store.close() }
        let copier = try StoreConnection(
            path: home.file("a.cblite2/db.sqlite3"),
            mode: .readWrite
        )
        let seed = TestSeed.choose()
        var random = SeededGenerator(seed: seed)
        var rounds = [Int](repeating: 0, count: Self.documentCount)
        try save(Array(0..<Self.documentCount), round: 0, in: store)
        for round in 1...12 {
            let expected = Dictionary(
                uniqueKeysWithValues: rounds.enumerated().map {
                    (id($0.offset), body($0.offset, round: $0.element))
                }
            )
            var seen: [DocumentID: [UInt8]] = [:]
            try store.read { reader in
                var last: UInt64 = 0
                while true {
                    let page = try reader.documents(in: .default, after: last, limit: 40)
                    guard let end = page.last else { break }
                    last = end.sequence
                    for document in page { seen[document.documentID] = document.body }
                    let changed = (0..<20).map { _ in
                        Int.random(in: 0..<Self.documentCount, using: &random)
                    }
                    try save(changed, round: round, in: store)
                    for number in changed { rounds[number] = round }
                    _ = try copier.integer("PRAGMA wal_checkpoint(PASSIVE)")
                }
            }
            #expect(seen == expected, "seed \(seed), round \(round)")
        }
    }

    @Test func `reading ahead past the end of the file is not an error`() throws {
        let home = try TemporaryDirectory()
        let path = home.file("a.cblite2")
        let store = try Store.open(directory: path)
        try save(Array(0..<Self.documentCount), round: 0, in: store)
        try store.close()
        let again = try Store.open(directory: path)
        defer { try? again.close() }
        let count = try again.read {
            try $0.documents(in: .default, after: 0, limit: Self.documentCount).count
        }
        #expect(count == Self.documentCount)
    }

    @Test(arguments: [
        "SELECT divan_revision(NULL) IS NULL",
        "SELECT 'a' < 'B' COLLATE divan_unicode_ci_ai_in_de",
    ])
    func `a reader adds functions and collations when a statement first uses them`(
        sql: String
    ) throws {
        let home = try TemporaryDirectory()
        let store = try Store.open(directory: home.file("a.cblite2"))
        defer { try? store.close() }
        let place = DatabaseFileLocation(home.file("a.cblite2/db.sqlite3"))
        let reader = try StoreConnection(place, mode: .readOnly)
        #expect(try reader.integer(sql) == 1)
        // What is wrong by itself still fails.
        #expect(throws: StoreError.self) { try reader.prepare("SELECT nothing_like_that(1)") }
    }
}
