import DivanJSON

/// Makes random SQL++ expressions over the sources of a query.
///
/// The result is in parentheses wherever something may be next to it.
struct ExpressionMaker {
    var dice: Dice
    /// Names of the sources with documents; one without a name is the only source.
    var sources = [""]
    /// Names of unnested items.
    var items: [String] = []
    private var variables: [String] = []
    private var variableCount = 0

    /// Parameters that have a value; every other one is MISSING.
    static let parameters: [(name: String, value: JSON)] = [("p", .int(2)), ("t", .string("ab"))]

    private static let collations = [
        "NOCASE", "UNICODE", "(UNICODE NOCASE)", "(UNICODE NODIAC)", "(UNICODE NOCASE NODIAC)",
    ]

    init(_ dice: Dice) {
        self.dice = dice
    }

    // MARK: Operands

    mutating func collation() -> String { "COLLATE " + dice.pick(Self.collations) }

    mutating func operand() -> String {
        switch dice.number(in: 0...99) {
        case 0..<62: property()
        case 62..<68: metadata()
        case 68..<74: dice.pick(["$p", "$t", "$opt_none"])
        default: literal()
        }
    }

    mutating func property() -> String {
        if let variable = variables.last, dice.chance(60) {
            return variable + dice.pick(["", "", ".a", "[0]"])
        }
        if !items.isEmpty, dice.chance(50) { return dice.pick(items) + dice.pick(["", "", ".a"]) }
        let source = dice.pick(sources)
        return (source.isEmpty ? "" : source + ".") + path()
    }

    mutating func path() -> String {
        dice.pick(["a", "b", "c", "`it's`", "`z.y`", "a.b", "list", "list[0]", "list[-1]", "none"])
    }

    private mutating func metadata() -> String {
        "META(\(dice.pick(sources)))."
            + dice.pick(["id", "id", "sequence", "deleted", "expiration"])
    }

    private mutating func literal() -> String {
        if dice.chance(4) { return "MISSING" }
        switch DocumentMaker.scalar(&dice) {
        case .null: return "NULL"
        case .bool(let value): return value ? "TRUE" : "FALSE"
        case .int(let value): return "\(value)"
        case .double(let value): return "\(value)"
        case let text: return Self.quoted(text.string ?? "")
        }
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "''") + "'"
    }

    // MARK: Expressions

    mutating func expression(depth: Int) -> String {
        guard depth > 0, dice.chance(85) else { return operand() }
        switch dice.number(in: 0...15) {
        case 0: return "(NOT \(expression(depth: depth - 1)))"
        case 1: return "(\(expression(depth: depth - 1)) AND \(expression(depth: depth - 1)))"
        case 2:
            let terms = (0..<3).map { _ in expression(depth: depth - 1) }
            return "(" + terms.joined(separator: " OR ") + ")"
        case 3...6: return comparison(depth: depth - 1)
        case 7: return "(\(operand()) \(dice.pick(["+", "-", "*", "/", "%"])) \(operand()))"
        case 8: return like()
        case 9: return quantified(depth: depth - 1)
        case 10, 11: return call(depth: depth - 1)
        case 12: return choice(depth: depth - 1)
        case 13:
            return dice.pick([
                "[\(operand()), \(operand())]", "{'b': \(operand()), 'a': \(operand())}",
                "{'b': \(operand()), 'a': \(operand())}.a",
            ])
        case 14: return dice.pick(["(\(operand()) || \(operand()))", "(-(\(operand())))"])
        default: return exists()
        }
    }

    private mutating func comparison(depth: Int) -> String {
        let tail = dice.chance(20) ? " \(collation()))" : ")"
        let operand = operand()
        switch dice.number(in: 0...8) {
        case 0, 1:
            let tests = [
                "NULL", "NOT NULL", "MISSING", "NOT MISSING", "VALUED", "NOT VALUED",
            ]
            return "(\(operand) IS \(dice.pick(tests)))"
        case 2:
            let word = dice.pick(["BETWEEN", "NOT BETWEEN"])
            return "(\(operand) \(word) \(literal()) AND \(self.operand())\(tail)"
        case 3:
            let list = (0..<dice.number(in: 0...3)).map { _ in self.operand() }
            let word = dice.pick(["IN", "NOT IN"])
            return "(\(operand) \(word) (\(list.joined(separator: ", ")))\(tail)"
        case 4: return "(\(operand) IN \(property())\(tail)"
        default:
            let signs = ["=", "==", "!=", "<>", "<", "<=", ">", ">=", "IS", "IS NOT"]
            return "(\(operand) \(dice.pick(signs)) \(expression(depth: depth))\(tail)"
        }
    }

    private mutating func like() -> String {
        let patterns = [
            "a%", "%b", "_", "%", "1%", "it%", #"a\_%"#, "ä%", #"\%%"#, "-%", "a", "A_", "%B%",
            "t%",
        ]
        let word = dice.pick(["LIKE", "NOT LIKE"])
        let tail = dice.chance(30) ? " \(collation()))" : ")"
        return "(\(operand()) \(word) \(Self.quoted(dice.pick(patterns)))\(tail)"
    }

    private mutating func quantified(depth: Int) -> String {
        let word = dice.pick(["ANY", "SOME", "EVERY", "ANY AND EVERY"])
        let container = property()
        let variable = "v\(variableCount)"
        variableCount += 1
        variables.append(variable)
        defer { variables.removeLast() }
        return "(\(word) \(variable) IN \(container) SATISFIES \(expression(depth: depth)) END)"
    }

    private mutating func choice(depth: Int) -> String {
        let end = dice.chance(50) ? "ELSE \(operand()) END" : "END"
        let test = dice.chance(30) ? property() : ""
        return "CASE \(test) WHEN \(expression(depth: depth)) THEN \(operand()) \(end)"
    }

    /// A query of its own, on another collection.
    private mutating func exists() -> String {
        var inner = ExpressionMaker(dice)
        inner.sources = ["e"]
        let condition = inner.expression(depth: 1)
        dice = inner.dice
        return "EXISTS (SELECT 1 AS one FROM other AS e WHERE \(condition))"
    }

    private mutating func call(depth: Int) -> String {
        let ofAnything = [
            "ISNUMBER", "ISSTRING", "ISARRAY", "ISBOOLEAN", "ISOBJECT", "IS_ATOM", "TYPE",
            "TOSTRING", "TONUMBER", "TOBOOLEAN", "TOARRAY", "ARRAY_LENGTH", "ARRAY_COUNT",
            "ARRAY_SUM", "ARRAY_AVG", "ARRAY_MIN", "ARRAY_MAX", "ARRAY_IFNULL", "LENGTH", "LOWER",
            "UPPER", "TRIM", "LTRIM", "RTRIM",
        ]
        let ofOperand = [
            "ABS", "CEIL", "FLOOR", "SIGN", "ROUND", "TRUNC", "STR_TO_MILLIS", "STR_TO_UTC",
        ]
        let ofTwo = [
            "IFMISSING", "IFNULL", "IFMISSINGORNULL", "GREATEST", "LEAST", "NULLIF", "MISSINGIF",
            "ARRAY_CONTAINS", "CONTAINS", "CONCAT", "ARRAY_OF", "IDIV",
        ]
        switch dice.number(in: 0...9) {
        case 0...3: return "\(dice.pick(ofAnything))(\(expression(depth: depth)))"
        case 4, 5: return "\(dice.pick(ofOperand))(\(operand()))"
        case 6: return "MILLIS_TO_UTC(STR_TO_MILLIS(\(operand())))"
        case 7:
            let part = dice.pick(["year", "Month"])
            return "DATE_DIFF_STR(\(operand()), \(operand()), '\(part)')"
        default: return "\(dice.pick(ofTwo))(\(operand()), \(operand()))"
        }
    }
}
