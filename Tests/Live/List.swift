import CouchbaseLiteSwift
import Synchronization

/// A list on a screen: it only receives differences, and must match the query's result.
final class List: Sendable {
    private struct State {
        var differences = 0
        /// Rows that stayed in place, untouched.
        var kept = 0
        var failures = 0
    }

    private let state = Mutex(State())

    var differences: Int { state.withLock { $0.differences } }
    var kept: Int { state.withLock { $0.kept } }
    /// The number of differences after which the list did not match the result.
    var failures: Int { state.withLock { $0.failures } }

    /// Follows a query to its end.
    func follow(_ query: any Query, _ referee: LiveReportChecker) async {
        var list: [String] = []
        do {
            for try await difference in query.differences(by: "id") {
                let rows = difference.results.map(shown)
                list = apply(difference, to: list, rows) ?? ["an offset outside"]
                let isEqual = list == rows
                state.withLock { state in
                    state.differences += 1
                    state.kept += rows.count - difference.placed.count
                    if !isEqual { state.failures += 1 }
                }
                referee.hear(list)
            }
        } catch {
            referee.fail("\(error)")
        }
    }

    /// As the documentation of `QueryDifference` describes; `nil` for an invalid offset.
    private func apply(
        _ difference: QueryDifference,
        to former: [String],
        _ rows: [String]
    ) -> [String]? {
        var list = former
        for offset in difference.removed.reversed() {
            guard list.indices.contains(offset) else { return nil }
            list.remove(at: offset)
        }
        for placement in difference.placed {
            guard placement.offset <= list.count, rows.indices.contains(placement.offset) else {
                return nil
            }
            var row = rows[placement.offset]
            if let formerOffset = placement.formerOffset {
                guard former.indices.contains(formerOffset) else { return nil }
                row = former[formerOffset]
            }
            list.insert(row, at: placement.offset)
        }
        for offset in difference.updated {
            guard list.indices.contains(offset) else { return nil }
            list[offset] = rows[offset]
        }
        return list
    }
}

/// A row in the format of the answers.
func shown(_ row: CouchbaseLiteSwift.Result) -> String {
    (0..<row.count).map { index in row.value(at: index).map { "\($0)" } ?? "-" }
        .joined(separator: "|")
}
