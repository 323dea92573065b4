import DivanDatabase
import DivanJSON
import DivanQuery
import DivanRevisions
import DivanTestKit
import Testing

/// Counts of array items, which the table of an array index answers without the documents.
@Suite("Counts of items")
struct ItemCountTests {
    private static let counts = [
        "SELECT COUNT(*) FROM _ AS d UNNEST d.parts AS p",
        "SELECT COUNT(*) FROM _ AS d UNNEST d.parts AS p WHERE p.n = 'n3'",
        "SELECT COUNT(p.q), COUNT(DISTINCT p.n) FROM _ AS d UNNEST d.parts AS p WHERE p.q >= 2",
        "SELECT COUNT(*) FROM _ AS d UNNEST d.parts AS p WHERE p.n = 'n3' AND d.kind = 1",
        "SELECT COUNT(META(d).id) FROM _ AS d UNNEST d.parts AS p WHERE p.n = 'n3'",
        "SELECT SUM(p.q), MAX(p.n) FROM _ AS d UNNEST d.parts AS p",
        "SELECT COUNT(*) FROM _ AS d UNNEST d.parts AS p WHERE p = 7",
        "SELECT COUNT(*) AS c FROM _ AS d UNNEST d.parts AS p ORDER BY c LIMIT 1",
    ]

    private func rows(_ sql: String, in room: StoreFixture) throws -> [[QueryValue]] {
        let catalogue = StoreCatalogue(room.store, named: "room")
        let statement = try QueryStatement(sql: sql).checked(against: catalogue, text: sql)
        let rows = try room.store.rows(of: StorageQuery(statement))
        var found: [[QueryValue]] = []
        while let row = try rows.next() { found.append(row) }
        return found
    }

    /// Documents with arrays, scalars, objects and nothing; some changed, some deleted.
    private func fill(_ room: StoreFixture) throws {
        for number in 0..<60 {
            let parts =
                switch number % 6 {
                case 0: "7"
                case 1: "[]"
                case 2: #"{"n":"n3","q":1}"#
                case 3: "null"
                default: #"[{"n":"n\#(number % 5)","q":\#(number % 4)},{"n":"n3","q":2},7,null]"#
                }
            let member = number % 11 == 0 ? "" : #","parts":\#(parts)"#
            try room.save(
                DocumentID(unchecked: "d\(number)"),
                #"{"kind":\#(number % 3)\#(member)}"#
            )
        }
        for number in stride(from: 4, to: 60, by: 9) {
            try room.save(DocumentID(unchecked: "d\(number)"), "{}", isTombstone: true)
        }
        for number in stride(from: 5, to: 60, by: 7) {
            try room.save(DocumentID(unchecked: "d\(number)"), #"{"kind":1,"parts":[{"n":"n3"}]}"#)
        }
    }

    @Test(
        "They are the same with and without the index, whenever it was created",
        arguments: EngineKind.allCases
    )
    func sameCounts(kind: EngineKind) throws {
        let (plain, before, after) = (
            try StoreFixture(kind), try StoreFixture(kind), try StoreFixture(kind)
        )
        let items = QueryIndexDefinition.array(["parts"], [CheckedKey(.property(source: 1, "n"))])
        try before.store.write { try $0.createIndex("byPart", items, in: .default) }
        for room in [plain, before, after] { try fill(room) }
        try after.store.write { try $0.createIndex("byPart", items, in: .default) }
        for sql in Self.counts {
            let expected = try rows(sql, in: plain)
            #expect(try rows(sql, in: before) == expected, "\(sql)")
            #expect(try rows(sql, in: after) == expected, "\(sql)")
        }
    }

    @Test("A count of items alone reads no document")
    func plan() throws {
        let room = try StoreFixture(.file)
        try fill(room)
        let items = QueryIndexDefinition.array(["parts"], [CheckedKey(.property(source: 1, "n"))])
        try room.store.write { try $0.createIndex("byPart", items, in: .default) }
        let catalogue = StoreCatalogue(room.store, named: "room")
        for (number, sql) in Self.counts.enumerated() {
            let statement = try QueryStatement(sql: sql).checked(against: catalogue, text: sql)
            let plan = try room.store.plan(of: StorageQuery(statement))
            let isAlone = ![3, 4, 5].contains(number)
            #expect(plan.steps.contains { $0.text.contains("AS s0") } != isAlone, "\(sql)")
        }
    }
}
