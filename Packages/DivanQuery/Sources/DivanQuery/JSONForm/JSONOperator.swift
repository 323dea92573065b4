import DivanJSON

/// The operators of the JSON form and what each makes of its operands.
///
/// Source: `sqlpp.md` §10.
enum JSONOperator: String {
    case missing = "MISSING"
    case array = "[]"
    case not = "NOT"
    case and = "AND"
    case or = "OR"
    case joined = "||"
    case plus = "+"
    case minus = "-"
    case times = "*"
    case divided = "/"
    case modulo = "%"
    case equal = "="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case same = "IS"
    case notSame = "IS NOT"
    case isValued = "IS VALUED"
    case between = "BETWEEN"
    case isIn = "IN"
    case isNotIn = "NOT IN"
    case like = "LIKE"
    case any = "ANY"
    case every = "EVERY"
    case anyAndEvery = "ANY AND EVERY"
    case choice = "CASE"
    case exists = "EXISTS"
    case collated = "COLLATE"
    case blob = "BLOB"

    /// How many operands it takes.
    var operandCounts: ClosedRange<Int> {
        switch self {
        case .missing: 0...0
        case .array: 0...Int.max
        case .not, .isValued, .exists, .blob: 1...1
        case .and, .or, .joined, .times, .divided, .modulo: 2...Int.max
        case .plus, .minus: 1...Int.max
        case .between, .any, .every, .anyAndEvery: 3...3
        case .choice: 3...Int.max
        default: 2...2
        }
    }

    /// The form with the given operands, whose number is valid.
    func form(
        _ operands: [JSON],
        _ reader: inout JSONFormReader
    ) throws(QueryError) -> QueryExpression.Form {
        switch self {
        case .missing: return .literal(.missing)
        case .any, .every, .anyAndEvery: return try quantified(operands, &reader)
        case .choice: return try Self.choice(operands, &reader)
        case .exists:
            if let items = operands[0].array, JSONFormReader.name(items.first) == "SELECT" {
                return .exists(try reader.select(items))
            }
            return .hasValue(try reader.expression(operands[0]))
        case .collated:
            return .collated(
                try reader.expression(operands[1]),
                try Self.collation(operands[0])
            )
        case .blob: return .blob(try QueryPath(text: operands[0].string ?? ""))
        default: break
        }
        var parts: [QueryExpression] = []
        for operand in operands { parts.append(try reader.expression(operand)) }
        return form(of: parts)
    }

    private func form(of parts: [QueryExpression]) -> QueryExpression.Form {
        switch self {
        case .not: .not(parts[0])
        case .isValued: .isValued(parts[0])
        case .and: .and(parts)
        case .or: .or(parts)
        case .joined: .concatenation(parts)
        case .between: .between(parts[0], parts[1], parts[2])
        case .isIn: .isIn(parts[0], parts[1], isNegated: false)
        case .isNotIn: .isIn(parts[0], parts[1], isNegated: true)
        case .like: .like(parts[0], parts[1])
        case .plus where parts.count == 1: .positive(parts[0])
        case .minus where parts.count == 1: .negative(parts[0])
        default:
            if let arithmetic = QueryArithmetic(rawValue: rawValue) {
                Self.calculation(arithmetic, parts)
            } else if let comparison = QueryComparison(rawValue: rawValue) {
                .comparison(comparison, parts[0], parts[1])
            } else {
                .array(parts)
            }
        }
    }

    /// Makes `["+", ["+", a, b], c]` one chain.
    private static func calculation(
        _ arithmetic: QueryArithmetic,
        _ parts: [QueryExpression]
    ) -> QueryExpression.Form {
        let links = parts.dropFirst().map { QueryExpression.Link(arithmetic, $0) }
        guard case .arithmetic(let first, let earlier) = parts[0].form,
            earlier.allSatisfy({ $0.arithmetic.isSum == arithmetic.isSum })
        else { return .arithmetic(parts[0], links) }
        return .arithmetic(first, earlier + links)
    }

    private func quantified(
        _ operands: [JSON],
        _ reader: inout JSONFormReader
    ) throws(QueryError) -> QueryExpression.Form {
        guard let name = operands[0].string, !name.isEmpty else {
            throw QueryError("Invalid variable name '\(operands[0].string ?? "")'")
        }
        let quantifier: QueryQuantifier =
            switch self {
            case .every: .every
            case .anyAndEvery: .anyAndEvery
            default: .any
            }
        return .quantified(
            quantifier,
            variable: ExactText(name),
            in: try reader.expression(operands[1]),
            satisfies: try reader.expression(operands[2])
        )
    }

    private static func choice(
        _ operands: [JSON],
        _ reader: inout JSONFormReader
    ) throws(QueryError) -> QueryExpression.Form {
        let subject = operands[0].isNull ? nil : try reader.expression(operands[0])
        var parts: [QueryExpression] = []
        for operand in operands.dropFirst() { parts.append(try reader.expression(operand)) }
        let otherwise = parts.count % 2 == 1 ? parts.removeLast() : nil
        let branches = stride(from: 0, to: parts.count, by: 2).map {
            QueryExpression.Branch(when: parts[$0], then: parts[$0 + 1])
        }
        return .choice(subject, branches, otherwise: otherwise)
    }

    private static func collation(_ json: JSON) throws(QueryError) -> QueryCollationChange {
        guard let members = json.object else { throw QueryError("COLLATE requires an object") }
        var change = QueryCollationChange()
        for (key, value) in members {
            switch (key.uppercased(), value) {
            case ("UNICODE", .bool(let flag)): change.isUnicode = flag
            case ("CASE", .bool(let flag)): change.isCaseSensitive = flag
            case ("DIAC", .bool(let flag)): change.isAccentSensitive = flag
            case ("LOCALE", .string(let text)): change.locale = ExactText(text)
            case ("LOCALE", .null): break
            default: throw QueryError("unknown COLLATE option '\(key.prefix(64))'")
            }
        }
        return change
    }
}

extension QueryArithmetic {
    /// Whether it binds like `+`; the others bind like `*`.
    var isSum: Bool { self == .plus || self == .minus }
}
