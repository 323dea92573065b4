import DivanDatabase
import DivanJSON
import DivanQuery
import DivanRevisions
import Testing

/// Queries over visible documents.
@Suite struct QueryVisibilityTests {
    private func room(_ kind: EngineKind) throws -> StoreFixture {
        let room = try StoreFixture(kind)
        for number in 0..<40 {
            let owner = number.isMultiple(of: 4) ? "ada" : "bo"
            let id = DocumentID(unchecked: "d\(100 + number)")
            try room.save(
                id,
                #"{"n":\#(number),"owner":"\#(owner)","text":"word\#(number % 8) x"}"#
            )
        }
        try room.save("d100", "{}", isTombstone: true)
        return room
    }

    private func sight(_ condition: String, byteLimit: Int = 1 << 20) throws -> QueryVisibility {
        QueryVisibility(try BodyCondition(sql: condition), byteLimit: byteLimit)
    }

    private func rows(
        _ text: String,
        _ room: StoreFixture,
        in sight: QueryVisibility
    ) throws -> [[QueryValue]] {
        let catalogue = StoreCatalogue(room.store, named: "room")
        let statement = try QueryStatement(sql: text).checked(against: catalogue, text: text)
        let rows = try room.store.rows(of: StorageQuery(statement), in: sight)
        defer { rows.end() }
        var found: [[QueryValue]] = []
        while let row = try rows.next() { found.append(row) }
        return found
    }

    @Test(arguments: EngineKind.allCases)
    func `documents that are not visible affect no row, count or sequence`(
        _ kind: EngineKind
    ) throws {
        let room = try room(kind)
        let sight = try sight("owner = 'ada'")
        let counts = try rows(
            "SELECT COUNT(*), MAX(META().sequence), MIN(n) FROM _",
            room,
            in: sight
        )
        #expect(counts == [[.integer(9), .integer(9), .integer(4)]])
        #expect(try rows("SELECT n FROM _ WHERE owner = 'bo'", room, in: sight).isEmpty)
        let joined = "SELECT a.n FROM _ AS a JOIN _ AS b ON a.n = b.n + 1"
        #expect(try rows(joined, room, in: sight).isEmpty)
    }

    @Test func `deletions are visible if the access condition uses META().deleted`() throws {
        let room = try room(.file)
        let question = "SELECT META().id FROM _ WHERE META().deleted"
        #expect(try rows(question, room, in: sight("owner = 'ada'")).isEmpty)
        let all = try sight("owner = 'ada' OR META().deleted")
        #expect(try rows(question, room, in: all) == [[.string("d100")]])
    }

    @Test func `the body of a visible deletion is not visible`() throws {
        let room = try room(.file)
        try room.save("d101", #"{"owner":"bo","pin":4711}"#, isTombstone: true)
        let all = try sight("owner = 'ada' OR META().deleted")
        let question = "SELECT META().id FROM _ WHERE META().deleted AND pin IS NOT MISSING"
        #expect(try rows(question, room, in: all).isEmpty)
    }

    @Test func `an expression that fails on a document that is not visible does not end the query`()
        throws
    {
        let room = try room(.file)
        try room.save("bad", #"{"owner":"bo","pattern":"("}"#)
        let question = "SELECT n FROM _ WHERE REGEXP_LIKE(text, pattern) IS MISSING"
        #expect(try rows(question, room, in: sight("owner = 'ada'")).count == 9)
        #expect(throws: (any Error).self) {
            try rows("SELECT n FROM _ WHERE REGEXP_LIKE('x', pattern)", room, in: sight("TRUE"))
        }
    }

    @Test func `the size limit applies only to visible documents`() throws {
        let room = try room(.file)
        let few = try sight("n = 4", byteLimit: 100)
        #expect(try rows("SELECT n FROM _", room, in: few) == [[.integer(4)]])
        #expect(throws: QueryError.self) {
            try rows("SELECT n FROM _ LIMIT 1", room, in: sight("n < 20", byteLimit: 100))
        }
    }

    @Test func `a cancelled query ends while visible documents are copied`() throws {
        let room = try room(.file)
        let statement = try QueryStatement(sql: "SELECT n FROM _")
            .checked(against: StoreCatalogue(room.store, named: "room"))
        let control = QueryControl()
        control.cancel()
        #expect(throws: QueryStop.cancelled) {
            try room.store.rows(of: StorageQuery(statement, control: control), in: sight("TRUE"))
        }
    }
}
