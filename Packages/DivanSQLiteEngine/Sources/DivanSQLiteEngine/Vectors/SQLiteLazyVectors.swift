internal import DivanSQLite
internal import DivanStorage

/// The vectors of lazy indexes.
extension SQLiteSession {
    func pendingVectors(of table: String, limit: Int) throws(StoreError) -> [Int64] {
        let rows = try connection.prepare(
            "SELECT owner FROM \(table)_pending ORDER BY owner LIMIT ?1"
        )
        try rows.bind(Int64(limit), at: 1)
        var owners: [Int64] = []
        while try rows.step() { owners.append(rows.integer(0)) }
        return owners
    }

    func setVectors(_ vectors: [(sequence: Int64, vector: [Float]?)], in table: String) throws {
        let done = try connection.prepare("DELETE FROM \(table)_pending WHERE owner = ?1")
        let removals = try ["number = ?1 AND owner = ?1", "owner = ?1 AND owner <> number"].map {
            try connection.prepare("DELETE FROM \(table) WHERE \($0)")
        }
        let insert = try connection.prepare(
            "INSERT INTO \(table) (number, owner, vector) VALUES (?1, ?2, ?3)"
        )
        let last = try connection.lastNumber(of: table)
        var number = last
        for (sequence, vector) in vectors {
            try done.bind(sequence, at: 1)
            try done.run()
            // The document was changed, deleted, or updated by somebody else.
            guard connection.changedRowCount > 0 else { continue }
            for remove in removals {
                try remove.bind(sequence, at: 1)
                try remove.run()
            }
            guard let vector else { continue }
            number &+= 1
            try insert.bind(number, at: 1)
            try insert.bind(sequence, at: 2)
            try insert.bind(vector.storedBytes, at: 3)
            try insert.run()
        }
        guard number > last else { return }
        let part = SQLiteVectorIndex.lastNumberPart
        try connection.setVectorPart(Array("\(number)".utf8), part, of: table)
    }
}

extension StoreConnection {
    /// The greatest number that a vector has had.
    ///
    /// The vectors of a lazy index are not in the order of sequences, so they have numbers of their own. None is used
    /// again: a piece of work may still have the vector that had it.
    func lastNumber(of table: String) throws -> Int64 {
        let part = SQLiteVectorIndex.lastNumberPart
        let rows = try functionStatement(
            "SELECT value FROM \(table)_parts WHERE number = \(part)"
        )
        defer { rows.reset() }
        guard try rows.step() else {
            let placed = try SQLiteVectorIndex.Head(table, on: self).placed
            return max(placed, try integer("SELECT max(number) FROM \(table)") ?? 0)
        }
        guard let number = Int64(rows.text(0)),
            SQLiteVectorIndex.State.vectorNumbers.contains(number)
        else { throw rows.corrupt("an invalid number in a vector index") }
        return number
    }
}
