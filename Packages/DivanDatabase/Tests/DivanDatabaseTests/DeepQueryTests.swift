import DivanDatabase
import DivanJSON
import DivanQuery
import DivanRevisions
import Testing

/// Expressions that are deeper than SQLite's parser accepts.
@Suite struct DeepQueryTests {
    /// A way to nest an expression in another one.
    struct Shape: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let innermost: CheckedExpression
        /// The surrounding expression.
        let around: @Sendable (CheckedExpression) -> CheckedExpression
        /// The value at a depth, for the document with this `n`.
        let value: @Sendable (Int, Int64) -> QueryValue

        init(
            _ name: String,
            _ innermost: CheckedExpression,
            _ around: @escaping @Sendable (CheckedExpression) -> CheckedExpression,
            value: @escaping @Sendable (Int, Int64) -> QueryValue
        ) {
            testDescription = name
            self.innermost = innermost
            self.around = around
            self.value = value
        }

        func nested(_ depth: Int, in innermost: CheckedExpression? = nil) -> CheckedExpression {
            (0..<depth).reduce(innermost ?? self.innermost) { inner, _ in around(inner) }
        }
    }

    private static let number = CheckedExpression.property(source: 0, "n")
    private static let text = CheckedExpression.property(source: 0, "s")
    private static let isOne = CheckedExpression.comparison(
        .equal,
        number,
        .literal(.integer(1)),
        .binary
    )
    private static let isPositive = CheckedExpression.comparison(
        .greater,
        number,
        .literal(.integer(0)),
        .binary
    )
    private static let truth = CheckedExpression.literal(.boolean(true))
    private static let zero = CheckedExpression.literal(.integer(0))

    private static let negation = Shape(
        "-x",
        number,
        { .negative($0) },
        value: { .integer($0.isMultiple(of: 2) ? $1 : -$1) }
    )
    private static let lowering = Shape(
        "LOWER(x)",
        text,
        { .call(.lower, [$0], .binary) },
        value: { .string($1 == 1 ? "ab" : "cd") }
    )

    static let shapes: [Shape] = [
        negation, lowering,
        Shape(
            "IFNULL(NULL, x)",
            number,
            { .call(.ifNull, [.literal(.null), $0], .binary) },
            value: { .integer($1) }
        ),
        Shape(
            "1 - x",
            number,
            { .arithmetic(.literal(.integer(1)), [.init(.minus, $0)]) },
            value: { .integer($0.isMultiple(of: 2) ? $1 : 1 - $1) }
        ),
        Shape(
            "NOT x",
            isOne,
            { .not($0) },
            value: { .boolean($0.isMultiple(of: 2) == ($1 == 1)) }
        ),
        Shape(
            "CASE WHEN … THEN x",
            number,
            { .choice(nil, [.init(when: isPositive, then: $0)], otherwise: zero, .binary) },
            value: { .integer($1) }
        ),
        Shape(
            "CASE … ELSE x",
            number,
            { .choice(nil, [.init(when: .not(isPositive), then: zero)], otherwise: $0, .binary) },
            value: { .integer($1) }
        ),
        Shape(
            "[x][0]",
            number,
            { .member(of: .array([$0]), QueryPath([.item(0)])) },
            value: { .integer($1) }
        ),
        Shape(
            "{'k': x}.k",
            number,
            { .member(of: .object([.init("k", $0)]), "k") },
            value: { .integer($1) }
        ),
        Shape(
            "'' || x",
            text,
            { .concatenation([.literal(.string("")), $0]) },
            value: { .string($1 == 1 ? "Ab" : "Cd") }
        ),
        Shape(
            "x = TRUE",
            isOne,
            { .comparison(.equal, $0, truth, .binary) },
            value: { .boolean($1 == 1) }
        ),
        Shape(
            "a AND (NOT a OR x)",
            isOne,
            { .and([isPositive, .or([.not(isPositive), $0])]) },
            value: { .boolean($1 == 1) }
        ),
        Shape(
            "TRUE IN (x)",
            isOne,
            { .isOneOf(truth, [$0], .binary) },
            value: { .boolean($1 == 1) }
        ),
        Shape(
            "TRUE BETWEEN 1 AND x",
            isOne,
            { .between(truth, truth, $0, .binary) },
            value: { .boolean($1 == 1) }
        ),
    ]

    static let depths = [1, 20, 31, 60, 95]

    private func room(_ kind: EngineKind = .file) throws -> StoreFixture {
        let room = try StoreFixture(kind)
        try room.save("one", #"{"list":[1,2],"n":1,"s":"Ab"}"#)
        try room.save("two", #"{"list":[3],"n":2,"s":"Cd"}"#)
        return room
    }

    private func statement(
        _ columns: [CheckedExpression],
        where filter: CheckedExpression? = nil
    ) -> CheckedStatement {
        CheckedStatement(
            columns: columns.enumerated().map { CheckedColumn(title: ExactText("\($0)"), $1) },
            sources: [CheckedSource(.documents(.standard))],
            filter: filter
        )
    }

    private func rows(_ statement: CheckedStatement, in room: StoreFixture) throws -> [[QueryValue]]
    {
        let rows = try room.store.rows(of: StorageQuery(statement))
        defer { rows.end() }
        var found: [[QueryValue]] = []
        while let row = try rows.next() { found.append(row) }
        return found
    }

    @Test(arguments: shapes)
    func `a deeply nested expression has the right value for each row`(_ shape: Shape) throws {
        let room = try room()
        for depth in Self.depths {
            let deep = shape.nested(depth)
            let expected = [shape.value(depth, 1), shape.value(depth, 2)]
            var question = statement([deep], where: .not(.isMissing(deep)))
            question.orderings = [CheckedOrdering(CheckedKey(Self.number))]
            #expect(try rows(question, in: room) == expected.map { [$0] }, "depth \(depth)")
            question.orderings.insert(CheckedOrdering(CheckedKey(deep)), at: 0)
            #expect(Set(try rows(question, in: room).map { $0[0] }) == Set(expected))
            var grouped = statement([deep, .aggregate(.count, deep, .binary)])
            grouped.groups = [CheckedKey(deep)]
            grouped.isAggregate = true
            let groups = Set(expected).map { value in
                [value, .integer(Int64(expected.count { $0 == value }))]
            }
            #expect(Set(try rows(grouped, in: room)) == Set(groups), "depth \(depth)")
            #expect(try !room.store.plan(of: StorageQuery(question)).steps.isEmpty)
        }
    }

    @Test(arguments: EngineKind.allCases)
    func `a deeply nested condition on array items can use the item and the row`(
        _ kind: EngineKind
    ) throws {
        let room = try room(kind)
        for depth in [2, 32, 60] {
            let item = CheckedExpression.variable(0, QueryPath())
            let condition = CheckedExpression.comparison(
                .equal,
                Self.negation.nested(depth, in: item),
                Self.negation.nested(depth),
                .binary
            )
            let list = CheckedExpression.property(source: 0, "list")
            let any = CheckedExpression.quantified(
                .any,
                variable: 0,
                in: list,
                satisfies: condition
            )
            let deep = (0..<depth).reduce(any) { inner, _ in .not(inner) }
            #expect(try rows(statement([Self.number], where: deep), in: room) == [[.integer(1)]])
        }
    }

    @Test func `an aggregate can have a deeply nested operand and be part of a calculation`() throws
    {
        let room = try room()
        for depth in [2, 32, 60] {
            let deep = Self.negation.nested(depth)
            let sum = CheckedExpression.aggregate(.sum, deep, .binary)
            let links = [CheckedExpression.Link(.times, .literal(.integer(2)))]
            var question = statement([.arithmetic(sum, links), .aggregate(.count, nil, .binary)])
            question.isAggregate = true
            #expect(try rows(question, in: room) == [[.integer(6), .integer(2)]])
        }
    }

    @Test func `a deeply nested condition on one document gives the same result as a query`() throws
    {
        let calls = String(repeating: "LOWER(", count: 60)
        let text = calls + "s" + String(repeating: ")", count: 60) + " = 'ab'"
        let condition = try BodyCondition(sql: text)
        #expect(try condition.holds(of: "one", body: Array(#"{"s":"Ab"}"#.utf8)))
        #expect(try !condition.holds(of: "two", body: Array(#"{"s":"Cd"}"#.utf8)))
    }

    @Test func `an expression that is nested too deeply is rejected with a clear error`() throws {
        let room = try room()
        let key = CheckedKey(Self.lowering.nested(60))
        #expect(throws: QueryError.self) {
            try room.store.write {
                try $0.createIndex("deep", .value([key], filter: nil), in: .default)
            }
        }
        #expect(try room.store.read { try $0.indexes(in: .default) }.isEmpty)
        var question = statement([
            Self.lowering.nested(60, in: .aggregate(.maximum, Self.text, .binary))
        ])
        question.isAggregate = true
        let error = #expect(throws: QueryError.self) { try rows(question, in: room) }
        #expect(error?.description.contains("nested too deeply") == true)
    }
}
