import DivanJSON
import DivanQuery

/// The rows that a query may return: if its order does not determine which of some rows comes first,
/// or which of them a limit leaves, any of them may.
struct QueryExpectation {
    /// Rows that are equal by the order, and the positions of the result that they take.
    private struct Tie {
        let rows: [String: Int]
        let places: Range<Int>
    }

    private let ties: [Tie]
    let count: Int
    private let isCoarse: Bool

    init(_ oracle: Oracle) {
        let answers = oracle.answers()
        let window = oracle.window(of: answers.count)
        let statement = oracle.statement
        // Of equal values of different types any one may represent all; the same applies to an
        // array collected from rows in no particular order.
        let isCoarse = statement.isDistinct || statement.isAggregate || !statement.groups.isEmpty
        self.isCoarse = isCoarse
        count = window.count
        var ties: [Tie] = []
        var start = 0
        while start < answers.count {
            var end = start + 1
            while end < answers.count, oracle.order(answers[start], answers[end]) == 0 { end += 1 }
            let places = (start..<end).clamped(to: window)
            if !places.isEmpty {
                let rows = answers[start..<end].map { Self.shown($0.row, isCoarse) }
                ties.append(
                    Tie(
                        rows: Dictionary(rows.map { ($0, 1) }, uniquingKeysWith: +),
                        places: places.lowerBound - window.lowerBound..<places.upperBound
                            - window.lowerBound
                    )
                )
            }
            start = end
        }
        self.ties = ties
    }

    /// What is wrong with a result; `nil` if nothing is.
    func problem(with found: [[JSON?]]) -> String? {
        guard found.count == count else {
            let rows = found.prefix(8).map { Self.shown($0, isCoarse) }.joined(separator: "; ")
            let wanted = ties.flatMap(\.rows.keys).sorted().prefix(8).joined(separator: "; ")
            return "\(found.count) rows instead of \(count): \(rows) instead of \(wanted)"
        }
        for tie in ties {
            var left = tie.rows
            for place in tie.places {
                let row = Self.shown(found[place], isCoarse)
                guard let number = left[row], number > 0 else {
                    let wanted = left.filter { $0.value > 0 }.keys.sorted().prefix(3)
                    return "row \(place) is \(row), not one of \(wanted.joined(separator: ", "))"
                }
                left[row] = number - 1
            }
        }
        return nil
    }

    private static func shown(_ row: [JSON?], _ isCoarse: Bool) -> String {
        row.map { value in
            guard let value else { return "–" }
            return shown(value, isCoarse)
        }.joined(separator: " | ")
    }

    private static func shown(_ value: JSON, _ isCoarse: Bool) -> String {
        if isCoarse, let value = value.bool { return value ? "1.0" : "0.0" }
        // Numbers are equal by value.
        if let number = value.double { return "\(number == 0 ? 0 : number)" }
        if isCoarse, let items = value.array {
            return "[" + items.map { shown($0, true) }.sorted().joined(separator: ",") + "]"
        }
        return ((try? value.canonicalBytes()).map { String(decoding: $0, as: UTF8.self) }) ?? "?"
    }
}
