internal import DivanRevisions
internal import DivanStorage

/// The rows of one collection, by document ID and in order of their sequences.
struct MemoryCollection {
    private var rows: [DocumentID: DocumentRow] = [:]
    // Ascending by sequence. An entry whose row got another sequence or was removed stays as a gap
    // until there are more gaps than rows, so that a save is cheap although the list is an array.
    private var order: [(sequence: UInt64, key: DocumentID?)] = []

    func row(_ documentID: DocumentID) -> DocumentRow? {
        rows[documentID]
    }

    /// Rows after a sequence, ascending.
    func rows(after sequence: UInt64) -> some Sequence<DocumentRow> {
        let start = sequence == .max ? order.endIndex : index(of: sequence + 1)
        return order[start...].lazy.compactMap { $0.key.flatMap { rows[$0] } }
    }

    /// Rows in no particular order.
    var all: some Collection<DocumentRow> { rows.values }

    /// Stores a row and returns the one that it replaces.
    @discardableResult
    mutating func put(_ row: DocumentRow) -> DocumentRow? {
        let key = row.documentID
        let old = rows.updateValue(row, forKey: key)
        if old?.sequence == row.sequence { return old }
        if let old { leaveGap(at: old.sequence) }
        if let last = order.last, last.sequence >= row.sequence {
            // Only a rollback puts a row back before later ones.
            let index = index(of: row.sequence)
            if order[index].sequence == row.sequence {
                order[index].key = key
            } else {
                order.insert((row.sequence, key), at: index)
            }
        } else {
            order.append((row.sequence, key))
        }
        return old
    }

    /// Changes a row in place; it keeps its ID and its sequence.
    mutating func update(_ documentID: DocumentID, _ change: (inout DocumentRow) -> Void) {
        guard var row = rows[documentID] else { return }
        change(&row)
        rows[documentID] = row
    }

    /// Removes a row and returns it.
    @discardableResult
    mutating func remove(_ documentID: DocumentID) -> DocumentRow? {
        guard let old = rows.removeValue(forKey: documentID) else { return nil }
        leaveGap(at: old.sequence)
        return old
    }

    private mutating func leaveGap(at sequence: UInt64) {
        let index = index(of: sequence)
        guard order.indices.contains(index), order[index].sequence == sequence else { return }
        order[index].key = nil
        if order.count > 2 * rows.count + 16 { order.removeAll { $0.key == nil } }
    }

    /// The index of the first entry whose sequence is `sequence` or greater.
    private func index(of sequence: UInt64) -> Int {
        var (low, high) = (0, order.count)
        while low < high {
            let middle = low + (high - low) / 2
            if order[middle].sequence < sequence {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
