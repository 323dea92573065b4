import DivanDatabase
import DivanJSON
import DivanQuery
import DivanRevisions
import Testing

@Suite("Queries on a store")
struct QueryTests {
    private static func price(_ source: Int = 0) -> CheckedExpression {
        .property(source: source, "price")
    }

    private func chairs(_ kind: EngineKind) throws -> StoreFixture {
        let room = try StoreFixture(kind)
        try room.save("oslo", #"{"maker":"m1","parts":[{"n":"leg"},{"n":"seat"}],"price":120}"#)
        try room.save("bern", #"{"maker":"m1","parts":[{"n":"arm"}],"price":340.5}"#)
        try room.save("turin", #"{"maker":"m2","price":null}"#)
        try room.save("gone", #"{"maker":"m2","price":1}"#)
        try room.save("gone", "{}", isTombstone: true)
        return room
    }

    private func rows(
        of statement: CheckedStatement,
        in room: StoreFixture,
        parameters: [ExactText: QueryValue] = [:]
    ) throws -> [[QueryValue]] {
        let rows = try room.store.rows(of: StorageQuery(statement, parameters: parameters))
        var found: [[QueryValue]] = []
        while let row = try rows.next() { found.append(row) }
        return found
    }

    private func statement(
        _ columns: [CheckedExpression],
        sources: [CheckedSource] = [CheckedSource(.documents(.standard))],
        where filter: CheckedExpression? = nil,
        orderBy orderings: [CheckedExpression] = []
    ) -> CheckedStatement {
        CheckedStatement(
            columns: columns.enumerated().map { index, column in
                CheckedColumn(title: ExactText("$\(index)"), column)
            },
            sources: sources,
            filter: filter,
            orderings: orderings.map { CheckedOrdering(CheckedKey($0)) }
        )
    }

    private static let id = CheckedExpression.metadata(source: 0, .id)

    @Test("A scan returns live documents with exact types", arguments: EngineKind.allCases)
    func scan(kind: EngineKind) throws {
        let room = try chairs(kind)
        let found = try rows(of: statement([Self.id, Self.price()], orderBy: [Self.id]), in: room)
        #expect(
            found == [
                [.string("bern"), .double(340.5)], [.string("oslo"), .integer(120)],
                [.string("turin"), .null],
            ]
        )
    }

    @Test(
        "COUNT(*) uses the stored count, and inside a write the current one",
        arguments: EngineKind.allCases
    )
    func counting(kind: EngineKind) throws {
        let room = try chairs(kind)
        let count = CheckedExpression.aggregate(.count, nil, .binary)
        let double = CheckedExpression.Link(.times, .literal(.integer(2)))
        var statement = statement([count, .arithmetic(count, [double])])
        statement.isAggregate = true
        #expect(try rows(of: statement, in: room) == [[.integer(3), .integer(6)]])
        let plan = try room.store.plan(of: StorageQuery(statement))
        #expect(plan.steps.allSatisfy { !$0.text.contains(" AS s0") })
        let inside = try room.store.write { writer in
            _ = try writer.save(
                DocumentID(checking: "lima"),
                in: .default,
                body: Array("{}".utf8)
            )
            return try rows(of: statement, in: room)
        }
        #expect(inside == [[.integer(4), .integer(8)]])
        #expect(try rows(of: statement, in: room) == [[.integer(4), .integer(8)]])
        _ = try room.store.write {
            try $0.purge(DocumentID(unchecked: "oslo"), in: .default)
        }
        #expect(try rows(of: statement, in: room) == [[.integer(3), .integer(6)]])
        // An aggregate that reads documents is counted by reading them.
        var some = statement
        some.columns[1].expression = .aggregate(.count, Self.price(), .binary)
        #expect(try rows(of: some, in: room) == [[.integer(3), .integer(2)]])
    }

    @Test("DISTINCT merges equal values regardless of their types", arguments: EngineKind.allCases)
    func distinct(kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        for (id, value) in [("a", "2"), ("b", "true"), ("c", "1"), ("d", "2.0"), ("e", "null")] {
            try room.save(DocumentID(unchecked: id), #"{"v":\#(value)}"#)
        }
        try room.save("f", #"{"v":[1]}"#)
        try room.save("g", #"{"v":[1]}"#)
        var statement = statement([.property(source: 0, "v")])
        statement.isDistinct = true
        let found: [QueryValue] = [
            .integer(2), .boolean(true), .null, .container(Array("[1]".utf8)),
        ]
        #expect(try rows(of: statement, in: room) == found.map { [$0] })
        statement.orderings = [CheckedOrdering(CheckedKey(.property(source: 0, "v")))]
        statement.limit = .literal(.integer(2))
        #expect(try rows(of: statement, in: room) == [[found[1]], [found[0]]])
    }

    @Test(
        "Containers are equal regardless of their JSON formatting",
        arguments: EngineKind.allCases
    )
    func spelledContainers(kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        try room.save("a", #"{"o":{"a":1,"b":[2,3]}}"#)
        try room.save("b", #"{"o":{"b":[2, 3],"a":1}}"#)
        let property = CheckedExpression.property(source: 0, "o")
        let built = CheckedExpression.object([
            .init("b", .array([.literal(.integer(2)), .literal(.integer(3))])),
            .init("a", .literal(.integer(1))),
        ])
        for (left, right) in [
            (property, built), (.array([property]), .array([built])),
            (.object([.init("k", property)]), .object([.init("k", built)])),
        ] {
            let equal = CheckedExpression.comparison(.equal, left, right, .binary)
            #expect(try rows(of: statement([Self.id], where: equal), in: room).count == 2)
            var distinct = statement([left])
            distinct.isDistinct = true
            #expect(try rows(of: distinct, in: room).count == 1)
        }
    }

    @Test("Every function of the language can be called", arguments: QueryFunction.allCases)
    func everyFunction(function: QueryFunction) throws {
        let room = try chairs(.file)
        let counts = function.argumentCounts
        // With a second argument these fail, like in the reference engine.
        let trims: [QueryFunction] = [.trim, .leftTrim, .rightTrim]
        let most = trims.contains(function) ? 1 : min(counts.upperBound, 4)
        for count in Set([counts.lowerBound, most]) {
            for argument in [CheckedExpression.literal(.integer(1)), Self.price()] {
                let call = CheckedExpression.call(
                    function,
                    Array(repeating: argument, count: count),
                    .binary
                )
                // What is no regular expression and no date is MISSING or null, not an error.
                #expect(try rows(of: statement([call]), in: room).count == 3)
            }
        }
    }

    @Test("LIKE with a fixed prefix uses an index range", arguments: [EngineKind.file])
    func likeRange(kind: EngineKind) throws {
        let room = try chairs(kind)
        try room.store.write {
            let key = CheckedKey(.property(source: 0, "maker"))
            try $0.createIndex("by", .value([key], filter: nil), in: .default)
        }
        let like = CheckedExpression.like(
            .property(source: 0, "maker"),
            .literal(.string("m1%")),
            .binary
        )
        let statement = statement([Self.id], where: like, orderBy: [Self.id])
        #expect(try rows(of: statement, in: room) == [[.string("bern")], [.string("oslo")]])
        let plan = try room.store.plan(of: StorageQuery(statement))
        #expect(plan.steps.contains { $0.text.contains("SEARCH _default AS s0 USING INDEX") })
    }

    @Test(
        "A parameter has its bound value, or MISSING if it is not bound",
        arguments: EngineKind.allCases
    )
    func parameters(kind: EngineKind) throws {
        let room = try chairs(kind)
        var dear = statement(
            [Self.id],
            where: .comparison(.less, Self.price(), .parameter("limit"), .binary)
        )
        dear.parameters = ["limit"]
        #expect(
            try rows(of: dear, in: room, parameters: ["limit": .integer(200)])
                == [[.string("oslo")]]
        )
        #expect(try rows(of: dear, in: room) == [])
    }

    @Test(
        "Array items are returned as rows, with and without an index",
        arguments: EngineKind.allCases
    )
    func items(kind: EngineKind) throws {
        let room = try chairs(kind)
        let name = CheckedExpression.property(source: 1, "n")
        let unnest = statement(
            [Self.id, name],
            sources: [
                CheckedSource(.documents(.standard)),
                CheckedSource(.items(source: 0, path: "parts")),
            ],
            orderBy: [name]
        )
        let hasLegs = statement(
            [Self.id],
            where: .quantified(
                .any,
                variable: 0,
                in: .property(source: 0, "parts"),
                satisfies: .comparison(
                    .equal,
                    .variable(0, "n"),
                    .literal(.string("leg")),
                    .binary
                )
            )
        )
        for _ in 0..<2 {
            #expect(
                try rows(of: unnest, in: room) == [
                    [.string("bern"), .string("arm")], [.string("oslo"), .string("leg")],
                    [.string("oslo"), .string("seat")],
                ]
            )
            #expect(try rows(of: hasLegs, in: room) == [[.string("oslo")]])
            try room.store.write {
                try $0.createIndex("byPart", .array(["parts"], [CheckedKey(name)]), in: .default)
            }
        }
        let plan = try room.store.plan(of: StorageQuery(hasLegs)).steps.map(\.text)
        #expect(plan.contains { $0.contains("USING INDEX") })
        try room.save("turin", #"{"parts":[{"n":"leg"}]}"#)
        try room.save("oslo", "{}", isTombstone: true)
        #expect(try rows(of: hasLegs, in: room) == [[.string("turin")]])
        try room.store.checkIntegrity()
    }

    @Test(
        "A value index is used, kept up to date, listed and dropped",
        arguments: EngineKind.allCases
    )
    func valueIndex(kind: EngineKind) throws {
        let room = try chairs(kind)
        let definition = QueryIndexDefinition.value([CheckedKey(Self.price())], filter: nil)
        try room.store.write {
            try $0.createIndex("byPrice", definition, source: "price", in: .default)
            try $0.createIndex("byPrice", definition, source: "price", in: .default)
        }
        let cheap = statement(
            [Self.id],
            where: .comparison(.less, Self.price(), .literal(.integer(200)), .binary)
        )
        let plan = try room.store.plan(of: StorageQuery(cheap)).steps.map(\.text)
        #expect(plan.contains { $0.contains("USING INDEX") })
        try room.save("ulm", #"{"price":5}"#)
        try room.save("oslo", #"{"price":500}"#)
        #expect(try rows(of: cheap, in: room) == [[.string("ulm")]])
        let names = try room.store.read { try $0.indexes(in: .default).map(\.source) }
        #expect(names == ["price"])
        try room.store.write { try $0.rebuildIndexes(in: .default) }
        try room.store.checkIntegrity()
        try room.store.write { try $0.deleteIndex("byPrice", in: .default) }
        #expect(try room.store.read { try $0.indexes(in: .default) } == [])
        #expect(try rows(of: cheap, in: room) == [[.string("ulm")]])
    }

    @Test(
        "A partial index is used when the query repeats its WHERE clause",
        arguments: EngineKind.allCases
    )
    func partialIndex(kind: EngineKind) throws {
        let room = try chairs(kind)
        let isFirst = CheckedExpression.comparison(
            .equal,
            .property(source: 0, "maker"),
            .literal(.string("m1")),
            .binary
        )
        try room.store.write {
            try $0.createIndex(
                "m1's",
                .value([CheckedKey(Self.price())], filter: isFirst),
                in: .default
            )
        }
        let query = statement(
            [Self.id],
            where: .and([
                isFirst, .comparison(.greater, Self.price(), .literal(.integer(1)), .binary),
            ]),
            orderBy: [Self.price()]
        )
        #expect(try rows(of: query, in: room) == [[.string("oslo")], [.string("bern")]])
        let plan = try room.store.plan(of: StorageQuery(query)).steps.map(\.text)
        #expect(plan.contains { $0.contains("USING INDEX") })
    }

    @Test("Full-text search finds words and stays up to date", arguments: EngineKind.allCases)
    func fullText(kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        try room.save("a", #"{"story":"Light wooden chairs"}"#)
        try room.save("b", #"{"story":"A table"}"#)
        let column = QueryIndexDefinition.FullTextColumn(
            name: "story",
            .property(source: 0, "story")
        )
        try room.store.write {
            try $0.createIndex(
                "words",
                .fullText([column], tokenizer: "divan1 en 1", filter: nil),
                in: .default
            )
        }
        var query = statement([Self.id, .rank(0)], where: .match(0), orderBy: [Self.id])
        query.parameters = ["text"]
        query.matches = [CheckedMatch(source: 0, index: "words", text: .parameter("text"))]
        func found(_ text: String) throws -> [QueryValue] {
            try rows(of: query, in: room, parameters: ["text": .string(text)]).map { $0[0] }
        }
        #expect(try found("chair") == [.string("a")])
        try room.save("b", #"{"story":"A chair that stacks"}"#)
        #expect(try found("story:chair") == [.string("a"), .string("b")])
        #expect(try found("the chair AND that") == [.string("a"), .string("b")])
        try room.save("a", "{}", isTombstone: true)
        #expect(try found("chair") == [.string("b")])
        try room.store.checkIntegrity()
        try room.store.write { try $0.deleteIndex("words", in: .default) }
        #expect(throws: QueryError.self) { try found("chair") }
    }

    @Test("Deleting a collection drops its indexes, also for the default collection")
    func deletedCollection() throws {
        let room = try chairs(.file)
        let name = CheckedExpression.property(source: 1, "n")
        try room.store.write { writer in
            try writer.createIndex("p", .array(["parts"], [CheckedKey(name)]), in: .default)
            try writer.deleteCollection(.default)
            #expect(try writer.indexes(in: .default) == [])
            try writer.createIndex("p", .array(["parts"], [CheckedKey(name)]), in: .default)
        }
        try room.save("x", #"{"parts":[1]}"#)
        try room.store.checkIntegrity()
    }

    @Test("A query can be cancelled and ends at its time limit")
    func stopping() throws {
        let room = try chairs(.file)
        let everything = statement([Self.id])
        let control = QueryControl()
        let rows = try room.store.rows(of: StorageQuery(everything, control: control))
        #expect(try rows.next() != nil)
        control.cancel()
        #expect(throws: QueryStop.cancelled) { try rows.next() }
        #expect(try rows.next() == nil)
        let late = StorageQuery(everything, control: QueryControl(limit: .zero))
        #expect(throws: QueryStop.tookTooLong(limit: .zero)) {
            try room.store.rows(of: late).next()
        }
    }

    @Test("Closing the database ends its queries")
    func closing() throws {
        let room = try chairs(.file)
        let rows = try room.store.rows(of: StorageQuery(statement([Self.id])))
        #expect(try rows.next() != nil)
        try room.store.close()
        #expect(throws: StoreError.self) { try rows.next() }
    }

    @Test(
        "A query inside a write sees its changes, and one outside does not",
        arguments: EngineKind.allCases
    )
    func snapshots(kind: EngineKind) throws {
        let room = try chairs(kind)
        let everything = statement([Self.id])
        let before = try room.store.rows(of: StorageQuery(everything))
        try room.store.write { writer in
            _ = try writer.save("new", in: .default, body: Array("{}".utf8))
            #expect(try rows(of: everything, in: room).count == 4)
        }
        var count = 0
        while try before.next() != nil { count += 1 }
        #expect(count == 3)
    }
}
