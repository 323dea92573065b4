/// Typing errors: letters inserted, left out, changed or swapped with their neighbour.
enum EditDistance {
    /// The upper-case word that `typed` was probably meant to be; `nil` if none is near.
    static func nearest(
        to typed: String,
        among words: [String]
    ) -> (word: String, editCount: Int)? {
        let typed = Array(typed.uppercased().utf8)
        guard (2...32).contains(typed.count) else { return nil }
        func rank(_ word: String) -> Int { word.utf8.starts(with: typed) ? 0 : 1 }
        // In a short word, every second letter makes another word.
        let most = typed.count < 3 ? 0 : typed.count < 7 ? 1 : 2
        return words.map { (word: $0, editCount: count(Array($0.utf8), typed)) }
            .filter { $0.editCount <= most }
            // Of equally near ones, the one that was not typed to its end: WHER is WHERE, not WHEN.
            .min { ($0.editCount, rank($0.word)) < ($1.editCount, rank($1.word)) }
    }

    /// The number of typing errors between two words.
    static func count(_ left: [UInt8], _ right: [UInt8]) -> Int {
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
