internal import DivanSQLite

/// Finds the rows of a table in a file with damaged pages.
///
/// The table and each of its indexes list the rows in pages of their own. Each list is read from both
/// ends until a damaged page stops it, so that one such page hides no row that another list has.
struct RowSalvage {
    struct Row {
        let id: Int64
        let sequence: Int64
    }

    private let table: String
    private let file: ForeignFile

    /// Names the table, quoted for SQL.
    init(_ table: String, _ file: ForeignFile) {
        (self.table, self.file) = (table, file)
    }

    /// The rows that are in any list, by ascending sequence.
    func rows() -> [Row] {
        var sequences: [Int64: Int64] = [:]
        // An index has only the columns named here, so that the table's pages are not read for it.
        list("rowid, key", by: "key") { sequences[$0.integer(0)] = 0 }
        list("rowid, sequence", by: "sequence") { sequences[$0.integer(0)] = $0.integer(1) }
        list("rowid, sequence", by: "rowid", hint: "NOT INDEXED") {
            sequences[$0.integer(0)] = $0.integer(1)
        }
        return sequences.map { Row(id: $0.key, sequence: $0.value) }
            .sorted { ($0.sequence, $0.id) < ($1.sequence, $1.id) }
    }

    /// The keys of some rows, as far as the index of keys can be read.
    func keys(of rows: [Int64: Int64]) -> [Int64: [UInt8]] {
        var keys: [Int64: [UInt8]] = [:]
        list("rowid, key", by: "key") { query in
            let row = query.integer(0)
            if rows[row] != nil { keys[row] = query.data(1) }
        }
        return keys
    }

    private func list(
        _ columns: String,
        by order: String,
        hint: String = "",
        _ body: (ForeignQuery) -> Void
    ) {
        for direction in ["ASC", "DESC"] {
            let sql = "SELECT \(columns) FROM \(table) \(hint) ORDER BY \(order) \(direction)"
            do {
                let query = try file.prepare(sql)
                while try query.step() { body(query) }
                // Complete, so that the other direction shows nothing new.
                return
            } catch {
                continue
            }
        }
    }
}
