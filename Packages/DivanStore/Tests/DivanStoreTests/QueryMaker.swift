import DivanJSON
import DivanQuery
import DivanTestKit

/// Makes random documents, and random queries about them that always mean something.
struct QueryMaker {
    private var random: SeededGenerator
    /// Sources of the query in the making; all but documents are items.
    private var sourceCount = 1
    private var variables: [Int] = []
    private var variableCount = 0

    init(_ random: SeededGenerator) {
        self.random = random
    }

    private mutating func pick<Item>(_ items: [Item]) -> Item {
        items[Int.random(in: 0..<items.count, using: &random)]
    }

    private mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    // MARK: Documents

    private static let keys = ["a", "b", "c", "it's", "z.y"]

    mutating func document() -> JSON {
        var members: [JSONObject.Member] = []
        for key in Self.keys where chance(75) { members.append((key, value(depth: 2))) }
        if chance(80) {
            let count = Int.random(in: 0...4, using: &random)
            members.append(("list", .array((0..<count).map { _ in value(depth: 1) })))
        }
        return .object(JSONObject(members))
    }

    private mutating func value(depth: Int) -> JSON {
        if depth > 0, chance(20) {
            if chance(50) { return .array((0..<2).map { _ in value(depth: depth - 1) }) }
            return .object(["a": value(depth: depth - 1), "b": value(depth: depth - 1)])
        }
        return scalar()
    }

    private mutating func scalar() -> JSON {
        let texts = ["", "a", "b", "ab", "B", "12", "3x", "it's", "ä", "%", "a_c"]
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return .null
        case 1: return .bool(chance(50))
        case 2: return .double(Double(Int.random(in: -6...6, using: &random)) / 4)
        case 3, 4, 5: return .string(pick(texts))
        default: return .int(Int64.random(in: -3...6, using: &random))
        }
    }

    // MARK: Queries

    mutating func statement(over collections: [QueryCollection]) -> CheckedStatement {
        sourceCount = 1
        variableCount = 0
        var sources = [CheckedSource(.documents(collections[0]))]
        if chance(20) {
            sources.append(CheckedSource(.items(source: 0, path: "list")))
        } else if chance(20) {
            let ids = (0...1).map { CheckedExpression.property(source: $0, "a") }
            let join: QueryJoin = chance(50) ? .inner : .leftOuter
            let equal = CheckedExpression.comparison(.equal, ids[0], ids[1], .binary)
            sources.append(CheckedSource(.documents(collections[1]), join: join, on: equal))
        }
        sourceCount = sources.count
        var statement = CheckedStatement(columns: [], sources: sources)
        if chance(80) { statement.filter = expression(depth: 3) }
        if chance(25) {
            group(&statement)
        } else {
            let count = Int.random(in: 1...3, using: &random)
            statement.columns = (0..<count).map { column($0, expression(depth: 2)) }
            order(&statement)
        }
        return statement
    }

    private func column(_ index: Int, _ expression: CheckedExpression) -> CheckedColumn {
        CheckedColumn(title: ExactText("$\(index + 1)"), expression)
    }

    private mutating func group(_ statement: inout CheckedStatement) {
        statement.isAggregate = true
        let aggregates: [QueryAggregate] = [.count, .sum, .average, .minimum, .maximum]
        var columns: [CheckedExpression] = [.aggregate(.count, nil, .binary)]
        if chance(70) { columns.append(.aggregate(pick(aggregates), property(), .binary)) }
        if chance(70) {
            // Equal values of different types would make the shown one a matter of chance.
            let key = CheckedExpression.call(.length, [property()], .binary)
            statement.groups = [CheckedKey(key)]
            columns.append(key)
            if chance(30) {
                statement.groupFilter = .comparison(
                    .greater,
                    .aggregate(.count, nil, .binary),
                    .literal(.integer(1)),
                    .binary
                )
            }
        }
        statement.columns = columns.enumerated().map { column($0, $1) }
    }

    private mutating func order(_ statement: inout CheckedStatement) {
        guard chance(60) else { return }
        let isDescending = chance(50)
        statement.orderings = [CheckedOrdering(CheckedKey(property()), isDescending: isDescending)]
        // Only a total order says which rows a limit leaves.
        guard statement.sources.count == 1, chance(50) else { return }
        statement.orderings.append(CheckedOrdering(CheckedKey(.metadata(source: 0, .id))))
        statement.limit = .literal(.integer(Int64.random(in: 0...8, using: &random)))
        if chance(50) { statement.offset = .literal(.integer(2)) }
    }

    private mutating func property() -> CheckedExpression {
        if let variable = variables.last, chance(60) {
            return .variable(variable, chance(70) ? QueryPath() : "a")
        }
        let source = Int.random(in: 0..<sourceCount, using: &random)
        let paths: [QueryPath] = [
            "a", "b", "c", "it's", "z.y", QueryPath(keys: "a", "b"), "list",
            QueryPath([.key("list"), .item(0)]), QueryPath([.key("list"), .item(-1)]), "none",
        ]
        return chance(5) ? .metadata(source: 0, .id) : .property(source: source, pick(paths))
    }

    private mutating func literal() -> CheckedExpression {
        let scalar = scalar()
        if chance(4) { return .literal(.missing) }
        switch scalar {
        case .null: return .literal(.null)
        case .bool(let value): return .literal(.boolean(value))
        case .int(let value): return .literal(.integer(value))
        case .double(let value): return .literal(.double(value))
        default: return .literal(.string(scalar.string ?? ""))
        }
    }

    private mutating func operand() -> CheckedExpression {
        chance(65) ? property() : literal()
    }

    private mutating func expression(depth: Int) -> CheckedExpression {
        guard depth > 0, chance(85) else { return operand() }
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return .not(expression(depth: depth - 1))
        case 1: return .and((0..<2).map { _ in expression(depth: depth - 1) })
        case 2: return .or((0..<3).map { _ in expression(depth: depth - 1) })
        case 3, 4, 5: return comparison(depth: depth - 1)
        case 6:
            let links: [QueryArithmetic] = [.plus, .minus, .times, .divided, .modulo]
            return .arithmetic(operand(), [.init(pick(links), operand())])
        case 7:
            let patterns = ["a%", "%b", "_", "%", "1%", "it%", #"a\_%"#, "ä%", #"\%%"#, "-%", "a"]
            return .like(operand(), .literal(.string(pick(patterns))), .binary)
        case 8: return quantified(depth: depth - 1)
        case 9: return call(depth: depth - 1)
        case 10:
            let branch = CheckedExpression.Branch(
                when: expression(depth: depth - 1),
                then: operand()
            )
            let isTest = chance(30)
            return .choice(
                isTest ? operand() : nil,
                [branch],
                otherwise: chance(50) ? operand() : nil,
                .binary
            )
        default:
            return chance(50)
                ? .array([operand(), operand()])
                : .object([.init("b", operand()), .init("a", operand())])
        }
    }

    private mutating func comparison(depth: Int) -> CheckedExpression {
        let signs: [QueryComparison] = [
            .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .same, .notSame,
        ]
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return .isNull(operand())
        case 1: return .isMissing(operand())
        case 2: return .isValued(operand())
        case 3: return .between(operand(), literal(), literal(), .binary)
        case 4:
            let count = Int.random(in: 0...3, using: &random)
            return .isOneOf(operand(), (0..<count).map { _ in operand() }, .binary)
        default: return .comparison(pick(signs), operand(), expression(depth: depth), .binary)
        }
    }

    private mutating func quantified(depth: Int) -> CheckedExpression {
        let quantifiers: [QueryQuantifier] = [.any, .every, .anyAndEvery]
        let container = property()
        let variable = variableCount
        variableCount += 1
        variables.append(variable)
        defer { variables.removeLast() }
        let test = expression(depth: depth)
        return .quantified(pick(quantifiers), variable: variable, in: container, satisfies: test)
    }

    private mutating func call(depth: Int) -> CheckedExpression {
        let two: [QueryFunction] = [
            .ifMissing, .ifNull, .ifMissingOrNull, .greatest, .least, .nullIf, .missingIf,
            .arrayContains,
        ]
        let one: [QueryFunction] = [
            .isNumber, .isString, .isArray, .isBoolean, .arrayLength, .length,
        ]
        if chance(50) { return .call(pick(one), [expression(depth: depth)], .binary) }
        return .call(pick(two), [operand(), operand()], .binary)
    }
}
