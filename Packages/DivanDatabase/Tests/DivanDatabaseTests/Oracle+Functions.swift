import DivanJSON
import DivanQuery

extension Oracle {
    func call(
        _ function: QueryFunction,
        _ arguments: [JSON?],
        _ collation: QueryCollation
    ) -> JSON? {
        switch function {
        case .ifMissing: return arguments.first { $0 != nil } ?? nil
        case .ifNull: return arguments.first { $0.map { !$0.isNull } ?? true } ?? .null
        case .ifMissingOrNull: return arguments.first { $0.map { !$0.isNull } ?? false } ?? .null
        case .arrayOf: return .array(arguments.compactMap(\.self))
        case .concat: return concatenated(arguments)
        case .greatest, .least:
            if arguments.contains(where: { $0 == nil }) { return nil }
            let sign = function == .greatest ? 1 : -1
            return arguments.dropFirst().reduce(arguments[0]) { best, next in
                compare(next, best) * sign > 0 ? next : best
            }
        case .stringToMillis: return date(arguments[0]).map { .int($0.millis) } ?? .null
        case .stringToUTC: return date(arguments[0]).map { .string($0.utc) } ?? .null
        case .millisToUTC:
            let millis = arguments[0]?.int
            return OracleDate.all.first { $0.millis == millis }.map { .string($0.utc) } ?? .null
        case .dateDifferenceString:
            guard let left = date(arguments[0]), let right = date(arguments[1]) else { return nil }
            let months = (left.year - right.year) * 12 + left.month - right.month
            let isYear = arguments[2]?.string == "year"
            return .int(Int64(isYear ? left.year - right.year : months))
        default: break
        }
        if function != .arrayCount, arguments.contains(where: { $0 == nil }) { return nil }
        if function != .arrayCount, arguments.contains(where: { $0?.isNull ?? false }) {
            return .null
        }
        return ofValues(function, arguments.compactMap(\.self), collation)
    }

    /// Functions that return MISSING and null for such arguments.
    private func ofValues(
        _ function: QueryFunction,
        _ values: [JSON],
        _ collation: QueryCollation
    ) -> JSON? {
        let first = values[0]
        switch function {
        case .nullIf: return compare(first, values[1]) == 0 ? .null : first
        case .missingIf: return compare(first, values[1]) == 0 ? nil : first
        case .length: return first.string.map { .int(Int64($0.unicodeScalars.count)) } ?? .null
        case .lower: return first.string.map { .string($0.lowercased()) } ?? .null
        case .upper: return first.string.map { .string($0.uppercased()) } ?? .null
        case .trim: return first.string.map { .string(trimmed($0, true, true)) } ?? first
        case .leftTrim: return first.string.map { .string(trimmed($0, true, false)) } ?? first
        case .rightTrim: return first.string.map { .string(trimmed($0, false, true)) } ?? first
        case .contains:
            guard let text = first.string, let part = values[1].string, !part.isEmpty else {
                return .bool(false)
            }
            let folding = OracleText(collation)
            return .bool(folding.folded(text).contains(folding.folded(part)))
        case .arrayContains:
            guard let items = first.array else { return .null }
            let isScalar = values[1].array == nil && values[1].object == nil
            return .bool(isScalar && items.contains { compare($0, values[1]) == 0 })
        case .abs, .ceil, .floor, .round, .trunc, .sign, .integerDivide:
            return numeric(function, values)
        default: return typed(function, first) ?? ofArray(function, first)
        }
    }

    private func typed(_ function: QueryFunction, _ value: JSON) -> JSON? {
        let isContainer = value.array != nil || value.object != nil
        switch function {
        case .isNumber: return .bool(value.double != nil)
        case .isString: return .bool(value.string != nil)
        case .isArray: return .bool(value.array != nil)
        case .isBoolean: return .bool(value.bool != nil)
        case .isObject: return .bool(value.object != nil)
        case .isAtom: return .bool(!isContainer)
        case .type:
            let name =
                value.bool != nil
                ? "boolean"
                : value.double != nil
                    ? "number"
                    : value.string != nil ? "string" : value.array != nil ? "array" : "object"
            return .string(name)
        case .toString: return isContainer ? .null : .string(shown(value))
        case .toNumber:
            if let text = value.string { return Self.number(inText: text) }
            return isContainer ? .null : value.bool.map { .int($0 ? 1 : 0) } ?? value
        case .toBoolean:
            if let number = Self.number(value) { return .bool(number != 0) }
            let count = value.string?.utf8.count ?? value.array?.count ?? value.object?.count
            return .bool(count != 0)
        case .toArray: return value.array == nil ? .array([value]) : value
        default: return nil
        }
    }

    private func ofArray(_ function: QueryFunction, _ value: JSON) -> JSON? {
        guard let items = value.array else { return .null }
        let numbers = items.compactMap { $0.bool == nil ? $0.double : nil }
        switch function {
        case .arrayLength: return .int(Int64(items.count))
        case .arraySum: return .double(numbers.reduce(0, +))
        case .arrayAverage:
            return numbers.isEmpty ? .null : .double(numbers.reduce(0, +) / Double(numbers.count))
        case .arrayMaximum: return numbers.max().map { .double($0) } ?? .null
        case .arrayMinimum: return numbers.min().map { .double($0) } ?? .null
        case .arrayIfNull: return items.first { !$0.isNull } ?? .null
        default: return .string("unknown to the oracle: \(function)")
        }
    }

    /// `ARRAY_COUNT`, which depends on whether it is applied to a part of a document.
    func itemCount(_ value: JSON?, of expression: CheckedExpression) -> JSON? {
        let isProperty =
            switch expression {
            case .property, .variable: true
            default: false
            }
        let members = isProperty ? value?.object?.map(\.value) : nil
        guard let items = value?.array ?? members else { return isProperty ? nil : .int(0) }
        return .int(Int64(items.count { !$0.isNull }))
    }

    private func numeric(_ function: QueryFunction, _ values: [JSON]) -> JSON? {
        // A boolean is 1 or 0, as in every calculation.
        let numbers = values.compactMap(Self.number)
        guard numbers.count == values.count else { return .null }
        let x = numbers[0]
        switch function {
        case .abs: return .double(abs(x))
        case .ceil: return .double(x.rounded(.up))
        case .floor: return .double(x.rounded(.down))
        case .round: return .double(x.rounded(.toNearestOrAwayFromZero))
        case .trunc: return .double(x.rounded(.towardZero))
        case .sign: return .int(x > 0 ? 1 : x < 0 ? -1 : 0)
        default:
            let divisor = Int64(numbers[1])
            return divisor == 0 ? .null : .int(Int64(x) / divisor)
        }
    }

    private func trimmed(_ text: String, _ left: Bool, _ right: Bool) -> String {
        var text = text[...]
        while left, text.first?.isWhitespace ?? false { text.removeFirst() }
        while right, text.last?.isWhitespace ?? false { text.removeLast() }
        return String(text)
    }

    private func date(_ value: JSON?) -> OracleDate? {
        OracleDate.all.first { $0.text == value?.string }
    }
}

/// A date that the random documents contain, with what is known of it.
struct OracleDate {
    let text: String
    let millis: Int64
    let utc: String
    let year: Int
    let month: Int

    static let all = [
        OracleDate(
            text: DocumentMaker.dates[0],
            millis: 1_582_979_405_000,
            utc: "2020-02-29T12:30:05Z",
            year: 2020,
            month: 2
        ),
        OracleDate(
            text: DocumentMaker.dates[1],
            millis: 1_577_829_599_250,
            utc: "2019-12-31T21:59:59.250Z",
            year: 2019,
            month: 12
        ),
    ]
}
