/// The names that functions have, and the one that somebody may have meant.
enum FunctionNames {
    private static let all =
        QueryFunction.allCases.map(\.rawValue) + QueryAggregate.allCases.map(\.rawValue)
        + ["META", "MATCH", "RANK"]

    /// The name that is at most two slips of the finger away from `name`, which is in capitals.
    static func nearest(to name: String) -> String? {
        let typed = Array(name.utf8)
        guard typed.count <= 32 else { return nil }
        return all.map { (name: $0, slips: slips(Array($0.utf8), typed)) }
            .filter { $0.slips <= min(2, typed.count / 2) }
            .min { $0.slips < $1.slips }?.name
    }

    /// Letters to insert, leave out, change or swap with their neighbour.
    private static func slips(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var rows = [[Int]](repeating: Array(0...right.count), count: left.count + 1)
        for row in 1...max(left.count, 1) where row <= left.count {
            rows[row][0] = row
            for column in 1...max(right.count, 1) where column <= right.count {
                let isSame = left[row - 1] == right[column - 1]
                var best = min(rows[row - 1][column], rows[row][column - 1]) + 1
                best = min(best, rows[row - 1][column - 1] + (isSame ? 0 : 1))
                if row > 1, column > 1, left[row - 1] == right[column - 2],
                    left[row - 2] == right[column - 1]
                {
                    best = min(best, rows[row - 2][column - 2] + 1)
                }
                rows[row][column] = best
            }
        }
        return rows[left.count][right.count]
    }
}
