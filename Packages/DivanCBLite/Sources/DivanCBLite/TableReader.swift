internal import DivanSQLite

/// A table of documents.
struct DocumentTable: Sendable {
    /// Quoted for SQL.
    let name: String
    let columns: String
}

/// Reads one table in the order of its sequences.
final class TableReader {
    private enum Order {
        case query(ForeignQuery)
        /// Of a damaged file: what can be found, and the next one.
        case list([RowSalvage.Row], next: Int)
    }

    private let table: DocumentTable
    private let file: ForeignFile
    private let rows: ForeignQuery
    private var order: Order
    private(set) var sequence: Int64 = 0
    private var row: Int64 = 0
    /// Rows of a damaged file that could not be read, with their sequences.
    private var unreadable: [Int64: Int64] = [:]

    /// Opens a table; in a damaged file, rows that cannot be read do not end the reading.
    init(_ table: DocumentTable, _ file: ForeignFile, isDamaged: Bool) throws(CBLiteError) {
        (self.table, self.file) = (table, file)
        rows = try file.prepare("SELECT \(table.columns) FROM \(table.name) WHERE rowid = ?1")
        guard !isDamaged else {
            order = .list(RowSalvage(table.name, file).rows(), next: 0)
            return
        }
        // Sorted without the columns that make rows long.
        order = .query(
            try file.prepare(
                "SELECT rowid, sequence FROM \(table.name) WHERE key IS NOT NULL ORDER BY sequence"
            )
        )
    }

    /// Goes to the next row; returns false at the end.
    func advance() throws(CBLiteError) -> Bool {
        switch order {
        case .query(let query):
            guard try query.step() else { return false }
            (row, sequence) = (query.integer(0), query.integer(1))
        case .list(let list, let next):
            guard next < list.count else { return false }
            (row, sequence) = (list[next].id, list[next].sequence)
            order = .list(list, next: next + 1)
        }
        return true
    }

    /// The row; `nil` if its page is damaged.
    func record() throws(CBLiteError) -> Record? {
        guard case .list = order else {
            guard let record = try stored() else {
                throw .damaged("an index entry has no matching row")
            }
            return record
        }
        do {
            if let record = try stored() { return record }
        } catch {
            // Other pages can still be read.
        }
        unreadable[row] = sequence
        return nil
    }

    private func stored() throws(CBLiteError) -> Record? {
        rows.reset()
        try rows.bind(row, at: 1)
        guard try rows.step() else { return nil }
        return Record(
            key: rows.data(0) ?? [],
            sequence: rows.integer(1),
            flags: rows.integer(2),
            version: rows.data(3) ?? [],
            body: rows.data(4),
            extra: rows.data(6),
            expiration: rows.isNull(5) ? nil : rows.integer(5)
        )
    }

    /// The rows that could not be read, as records that say so; with their keys, as far as an index has them.
    func losses() -> [Record] {
        guard !unreadable.isEmpty else { return [] }
        let keys = RowSalvage(table.name, file).keys(of: unreadable)
        return unreadable.sorted { $0.key < $1.key }.map { row, sequence in
            var record = Record(
                key: keys[row] ?? [],
                sequence: sequence,
                flags: 0,
                version: [],
                body: nil
            )
            record.damage = RecordDamage("row \(row): its page in the file is damaged")
            return record
        }
    }
}
