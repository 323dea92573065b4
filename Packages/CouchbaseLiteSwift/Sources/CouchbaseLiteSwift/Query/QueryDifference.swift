import DivanJSON

/// The difference between two results of a live query, for a list view that updates only changed rows.
///
/// To apply it to the former rows, remove those at `removed`, from last to first, then insert each row of `placed` at
/// its offset. All other rows keep their order.
///
/// An addition to the official API.
public struct QueryDifference: Sendable {
    /// A row that is inserted.
    public struct Placement: Hashable, Sendable {
        /// Its offset in the new rows.
        public let offset: Int
        /// Its offset in the former rows; `nil` for a new row.
        public let formerOffset: Int?
    }

    /// All current rows.
    public let results: [Result]
    /// Offsets of deleted and moved rows in the former rows, ascending.
    public let removed: [Int]
    /// New and moved rows, in ascending order of their offset in the new rows.
    public let placed: [Placement]
    /// Offsets of rows with other changed columns in the new rows, ascending.
    public let updated: [Int]

    /// The difference between two lists of rows, each given as keys and contents.
    init(
        from old: [(key: String, content: String)],
        to new: [(key: String, content: String)],
        _ results: [Result]
    ) {
        self.results = results
        let origins = Self.origins(of: new.map(\.key), in: old.map(\.key))
        let kept = Set(Self.longestRise(origins))
        let stays = Set(kept.compactMap { origins[$0] })
        removed = old.indices.filter { !stays.contains($0) }
        placed = new.indices.filter { !kept.contains($0) }.map { offset in
            Placement(offset: offset, formerOffset: origins[offset])
        }
        updated = new.indices.filter { offset in
            origins[offset].map { ExactText(old[$0].content) != ExactText(new[offset].content) }
                ?? false
        }
    }

    /// For each new key, where it was; equal keys are paired in order.
    private static func origins(of new: [String], in old: [String]) -> [Int?] {
        var places: [ExactText: [Int]] = [:]
        for (offset, key) in old.enumerated().reversed() {
            places[ExactText(key), default: []].append(offset)
        }
        return new.map { places[ExactText($0)]?.popLast() }
    }

    /// The offsets of the longest ascending sequence of values, so that the fewest rows move.
    private static func longestRise(_ values: [Int?]) -> [Int] {
        var ends: [Int] = []  // For each length the offset where such a rise ends lowest.
        var before = [Int?](repeating: nil, count: values.count)
        for (offset, value) in values.enumerated() {
            guard let value else { continue }
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if let end = values[ends[middle]], end < value {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            before[offset] = low > 0 ? ends[low - 1] : nil
            if low == ends.count { ends.append(offset) } else { ends[low] = offset }
        }
        var (rise, last): ([Int], Int?) = ([], ends.last)
        while let offset = last {
            rise.append(offset)
            last = before[offset]
        }
        return rise.reversed()
    }
}

/// The differences between results, for `for try await`; see ``Query/differences(by:)``.
public struct QueryDifferences: AsyncSequence {
    /// A difference between two results.
    public typealias Element = QueryDifference

    private let changes: AsyncThrowingStream<QueryChange, any Error>
    private let key: String

    init(_ changes: AsyncThrowingStream<QueryChange, any Error>, key: String) {
        self.changes = changes
        self.key = key
    }

    /// Returns an iterator; the sequence has only one.
    public func makeAsyncIterator() -> Iterator {
        Iterator(changes: changes.makeAsyncIterator(), key: key)
    }

    /// Iterates over the differences.
    public struct Iterator: AsyncIteratorProtocol {
        private var changes: AsyncThrowingStream<QueryChange, any Error>.Iterator
        private let key: String
        private var former: [(key: String, content: String)] = []

        fileprivate init(
            changes: AsyncThrowingStream<QueryChange, any Error>.Iterator,
            key: String
        ) {
            self.changes = changes
            self.key = key
        }

        /// Returns the next difference, or `nil` at the end.
        public mutating func next() async throws -> QueryDifference? {
            guard let change = try await changes.next() else { return nil }
            let results = change.results?.allResults() ?? []
            let rows = results.map { row in
                (key: row.value(forKey: key).map { "\($0)" } ?? "", content: row.toJSON())
            }
            defer { former = rows }
            return QueryDifference(from: former, to: rows, results)
        }
    }
}

extension Query {
    /// Returns how each commit changes the rows, for a list view that updates only changed rows.
    ///
    /// In the first difference, all rows are new. Ends and throws like ``changes()``. A slow consumer gets fewer,
    /// larger differences.
    ///
    /// - Parameter key: The column that identifies a row, such as `id`.
    /// - Returns: The differences, which can be iterated once.
    public func differences(by key: String) -> QueryDifferences {
        QueryDifferences(changes(), key: key)
    }
}
