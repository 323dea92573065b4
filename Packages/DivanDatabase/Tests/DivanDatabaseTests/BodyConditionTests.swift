import DivanDatabase
import DivanJSON
import DivanQuery
import DivanRevisions
import Testing

/// Conditions on one document at a time.
@Suite struct BodyConditionTests {
    private static let bodies = [
        "{}", #"{"owner":"ada","n":3}"#, #"{"n":"3","owner":null}"#, #"{"n":3.5,"tags":["a","b"]}"#,
        #"{"n":true,"owner":"Ada","tags":"a"}"#, #"{"n":-1,"tags":[],"owner":"b'; DROP"}"#,
    ]

    private func ids(_ condition: BodyCondition) throws -> [Int] {
        try Self.bodies.indices.filter { index in
            try condition.holds(
                of: DocumentID(unchecked: "d\(index)"),
                body: Array(Self.bodies[index].utf8)
            )
        }
    }

    @Test(arguments: [
        "owner = 'ada'", "n > 2", "NOT (n = 3)", "owner IS NOT VALUED", "owner IS MISSING",
        "ANY t IN tags SATISFIES t = 'a' END", "META().id = 'd2'", "META().id > 'd3'",
        "LOWER(owner) = 'ada'", "n BETWEEN 0 AND 3", "owner LIKE '%a%' OR n < 0", "TRUE", "MISSING",
        "REGEXP_LIKE(owner, '^[aA]')", "NOT META().deleted", "'b' IN tags", "n IN (3, 'x', $p)",
    ])
    func `a condition matches the same documents as a query`(_ text: String) throws {
        let room = try StoreFixture(.file)
        for (index, body) in Self.bodies.enumerated() {
            try room.save(DocumentID(unchecked: "d\(index)"), body)
        }
        let parameters: [ExactText: QueryValue] = text.contains("$p") ? ["p": .string("3")] : [:]
        let statement = QueryStatement(
            columns: [QueryColumn(QueryExpression(.metadata(of: QueryPath(), key: "id")))],
            sources: [QuerySource(.collection(scope: "_default", name: "_default"))],
            filter: try QueryExpression(sql: text),
            orderings: [
                QueryOrdering(QueryExpression(.metadata(of: QueryPath(), key: "id")))
            ]
        )
        let rows = try room.store.rows(
            of: StorageQuery(
                statement.checked(against: StoreCatalogue(room.store, named: "vectors")),
                parameters: parameters
            )
        )
        var found: [QueryValue] = []
        while let row = try rows.next() { found.append(row[0]) }
        let condition = try BodyCondition(sql: text, parameters: parameters)
        #expect(try ids(condition).map { .string("d\($0)") } == found)
    }

    @Test func `a deleted document matches only conditions that use META().deleted`() throws {
        let id = DocumentID(unchecked: "d")
        let plain = try BodyCondition(sql: "TRUE")
        #expect(try !plain.holds(of: id, body: [], isDeleted: true) && !plain.asksAboutDeleted)
        let asking = try BodyCondition(sql: "META().deleted OR n = 1")
        #expect(try asking.holds(of: id, body: [], isDeleted: true) && asking.asksAboutDeleted)
        #expect(try !asking.holds(of: id, body: Array("{}".utf8)))
    }

    @Test(arguments: [
        ("owner = ", "column"), ("owner = 1) OR (1 = 1", "column"),
        ("a = 1; DROP TABLE x", "column"),
        ("COUNT(*) > 1", "COUNT"), ("EXISTS (SELECT 1 FROM _)", "subquery"),
        ("MATCH(words, 'x')", "full-text"), ("META().sequence > 3", "META().id"),
        ("META().expiration IS MISSING", "META().id"), ("META() IS VALUED", "META().id"),
        ("owner = $user", "$user"), ("other.owner = 1 AND nobody.META().id = 1", ""),
        ("SELECT 1", ""), ("LENTGH(a) = 1", "LENGTH"), ("", ""),
    ])
    func `a condition that does not apply to a single document is rejected`(
        _ text: String,
        _ word: String
    ) {
        let error = #expect(throws: QueryError.self) { try BodyCondition(sql: text) }
        #expect(error.map { "\($0)".contains(word) } == true, "\(String(describing: error))")
    }

    @Test func `a parameter is a value, even if it contains SQL`() throws {
        let condition = try BodyCondition(
            sql: "owner = $user",
            parameters: ["user": .string("b'; DROP")]
        )
        #expect(try ids(condition) == [5])
    }

    @Test func `several threads can share a condition`() async throws {
        let condition = try BodyCondition(sql: "n = 7")
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try (0..<500).filter { number in
                        try condition.holds(
                            of: DocumentID(unchecked: "\(number)"),
                            body: Array(#"{"n":\#(number % 10)}"#.utf8)
                        )
                    }.count
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == [50, 50, 50, 50])
    }
}
