import CouchbaseLiteSwift
import DivanCommandLine
import DivanJSON

/// A condition on a document: `type=hotel and stars>=3`.
struct DocumentTest: Sendable, Equatable {
    private enum Comparison: String, CaseIterable {
        // Longer signs first, because `<=` begins with `<`.
        case atMost = "<="
        case atLeast = ">="
        case differs = "!="
        case equals = "="
        case below = "<"
        case above = ">"
    }

    private struct Term: Equatable {
        var keys: [String]
        var comparison: Comparison?
        var value = JSON.null
        var isNegated = false
    }

    private var terms: [Term] = []

    /// Parses a condition.
    ///
    /// - Throws: `Failure` that shows the syntax.
    init(_ text: String) throws(Failure) {
        // These belong to a query's condition; as plain text they would match no document.
        let isQuery = [" AND ", " OR ", " LIKE "].contains { text.contains($0) }
        for part in text.split(separator: " and ", omittingEmptySubsequences: false) {
            guard !isQuery, let term = Self.term(part.drop { $0 == " " }) else {
                throw .usage(
                    "invalid filter '\(text)'",
                    hint: "write type=hotel, stars>=3, address.city!=Rome, open or !open, without "
                        + "quotes, joined by \" and \"; use '--where' for SQL++ conditions such as "
                        + "type = 'hotel' AND stars >= 3"
                )
            }
            terms.append(term)
        }
    }

    /// Joins conditions into one filter; `nil` if there are none.
    static func filter(_ texts: [String]) throws(Failure) -> ReplicationFilter? {
        guard !texts.isEmpty else { return nil }
        var tests: [DocumentTest] = []
        for text in texts { tests.append(try DocumentTest(text)) }
        let all = tests
        return { document, flags in
            // A deletion has no body to test, and must reach every peer that has the document.
            if flags.contains(.deleted) || flags.contains(.accessRemoved) { return true }
            guard let body = try? JSON(parsing: Array(document.toJSON().utf8)) else { return false }
            return all.allSatisfy { $0.matches(body) }
        }
    }

    /// Whether a body meets the condition.
    func matches(_ body: JSON) -> Bool { terms.allSatisfy { Self.matches($0, body) } }

    private static func matches(_ term: Term, _ body: JSON) -> Bool {
        var value: JSON? = body
        for key in term.keys { value = value?.object?[key] }
        guard let comparison = term.comparison else {
            let isTrue = value.map { $0 != .null && $0 != .bool(false) } ?? false
            return isTrue != term.isNegated
        }
        guard let value else { return comparison == .differs }
        switch comparison {
        case .equals: return isSame(value, term.value)
        case .differs: return !isSame(value, term.value)
        case .below: return order(value, term.value).map { $0 < 0 } ?? false
        case .atMost: return order(value, term.value).map { $0 <= 0 } ?? false
        case .above: return order(value, term.value).map { $0 > 0 } ?? false
        case .atLeast: return order(value, term.value).map { $0 >= 0 } ?? false
        }
    }

    private static func isSame(_ left: JSON, _ right: JSON) -> Bool {
        left == right || order(left, right) == 0
    }

    /// Negative, zero or positive; `nil` if the two cannot be compared.
    private static func order(_ left: JSON, _ right: JSON) -> Int? {
        if let left = ExactNumber(left), let right = ExactNumber(right) {
            return left < right ? -1 : right < left ? 1 : 0
        }
        guard case .string(let left) = left, case .string(let right) = right else { return nil }
        if left == right { return 0 }
        return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
    }

    private static func term(_ text: Substring) -> Term? {
        let ends = Comparison.allCases.compactMap { comparison in
            text.firstRange(of: comparison.rawValue).map { (comparison, $0) }
        }
        // The first sign counts; at the same place, the longer one.
        let first = ends.min { $0.1.lowerBound < $1.1.lowerBound }
        guard let (comparison, range) = first, range.lowerBound > text.startIndex else {
            let isNegated = text.hasPrefix("!")
            guard first == nil, let keys = keys(isNegated ? text.dropFirst() : text) else {
                return nil
            }
            return Term(keys: keys, isNegated: isNegated)
        }
        guard let keys = keys(text[..<range.lowerBound]) else { return nil }
        let word = String(text[range.upperBound...])
        // A quoted string as in a query, or an unknown comparison.
        guard !"'<>=".contains(word.first ?? " ") else { return nil }
        let scalar = try? JSON(parsing: Array(word.utf8))
        return Term(keys: keys, comparison: comparison, value: scalar ?? .string(word))
    }

    private static func keys(_ text: Substring) -> [String]? {
        let keys = text.split(separator: ".", omittingEmptySubsequences: false)
        guard !keys.contains(where: { $0.isEmpty || $0.contains(" ") }) else { return nil }
        return keys.map(String.init)
    }
}
