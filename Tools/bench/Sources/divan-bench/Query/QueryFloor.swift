import CDivanFloors

/// A plain SQLite database with `QueryDocuments`, whose properties `json_extract` reads.
final class QueryFloor {
    private let raw: OpaquePointer

    init(at path: String) throws {
        guard let opened = floor_query_open(path) else {
            throw BenchFailure("the floor's database cannot be opened")
        }
        raw = opened
    }

    deinit {
        floor_query_close(raw)
    }

    /// Saves all documents, a thousand per transaction.
    func fill() throws {
        for start in stride(from: 0, to: QueryDocuments.count, by: 1_000) {
            try change("BEGIN")
            for number in start..<start + 1_000 { try save(number) }
            try change("COMMIT")
        }
    }

    func save(_ number: Int, changedBy shift: Int = 0) throws {
        let isStored = try QueryDocuments.body(number + shift).withUnsafeBytes { bytes in
            let start = bytes.bindMemory(to: CChar.self).baseAddress
            return floor_query_insert(raw, QueryDocuments.id(number), start, bytes.count)
        }
        guard isStored == 1 else { throw BenchFailure("the floor cannot store") }
    }

    /// Seconds of processor time for a change.
    @discardableResult
    func change(_ sql: String) throws -> Double {
        let seconds = floor_query_change(raw, sql)
        guard seconds >= 0 else { throw BenchFailure("the floor cannot run \(sql)") }
        return seconds
    }

    /// Seconds of processor time for all rows, or only the first.
    func read(_ sql: String, onlyFirst: Bool = false) throws -> Double {
        let seconds = floor_query_read(raw, sql, onlyFirst ? 1 : 0)
        guard seconds >= 0 else { throw BenchFailure("the floor cannot run \(sql)") }
        return seconds
    }
}
