import DivanJSON
import DivanQuery
import DivanRevisions
import DivanStorage

/// Everything that a journal says, except the rows, of which it has the place in the file.
struct JournalState {
    /// What is known of a row without reading it.
    struct Entry {
        var sequence: UInt64
        var flags: DocumentFlags
        var expiration: Int64?
        var offset: Int
        var byteCount: Int
    }

    /// The rows of a collection.
    struct Rows {
        private(set) var entries: [DocumentID: Entry] = [:]
        /// Ascending.
        private(set) var order: [(sequence: UInt64, documentID: DocumentID)] = []
        var indexes: [ExactText: JournalIndex] = [:]

        /// The position of the first row with this sequence or a greater one.
        func position(of sequence: UInt64) -> Int {
            var (low, high) = (0, order.count)
            while low < high {
                let middle = (low + high) / 2
                if order[middle].sequence < sequence { low = middle + 1 } else { high = middle }
            }
            return low
        }

        /// Replaces an entry, or removes it with `nil`.
        mutating func set(_ entry: Entry?, for documentID: DocumentID) {
            if let old = entries[documentID] { order.remove(at: position(of: old.sequence)) }
            entries[documentID] = entry
            if let entry {
                order.insert((entry.sequence, documentID), at: position(of: entry.sequence))
            }
        }
    }

    var paths: [(path: CollectionPath, state: CollectionState)] = []
    var rows: [CollectionID: Rows] = [:]
    var values: [ValueSpace: [ExactText: [UInt8]]] = [:]
    /// Never reused.
    var lastID: Int64 = 0

    /// Sets the place of a row, or forgets it with `nil`; `row` is for the indexes.
    mutating func set(
        _ entry: Entry?,
        _ row: DocumentRow?,
        for documentID: DocumentID,
        in id: CollectionID
    ) {
        rows[id]?.set(entry, for: documentID)
        // An array, so that the indexes have no second reference, and change in place.
        let names = rows[id].map { Array($0.indexes.keys) } ?? []
        for name in names { rows[id]?.indexes[name]?.set(row, for: documentID) }
    }
}

/// An index of the documents of a collection by a property: for conditions that it equals a value.
struct JournalIndex {
    /// The keys that lead to the property.
    let keys: [String]
    private var documents: [JSONKey: Set<DocumentID>] = [:]
    private var values: [DocumentID: JSONKey] = [:]

    /// A value that is compared as in queries: numbers by their value, and booleans as 0 and 1.
    enum JSONKey: Hashable {
        case number(Double)
        case other([UInt8])

        init?(_ value: JSON) {
            if let isTrue = value.bool {
                self = .number(isTrue ? 1 : 0)
            } else if let number = value.double {
                self = .number(number)
            } else {
                guard let bytes = try? value.canonicalBytes() else { return nil }
                self = .other(bytes)
            }
        }
    }

    init(keys: [String]) {
        self.keys = keys
    }

    /// Indexes a row, or removes it with `nil`.
    mutating func set(_ row: DocumentRow?, for documentID: DocumentID) {
        if let old = values.removeValue(forKey: documentID) {
            documents[old]?.remove(documentID)
            if documents[old]?.isEmpty == true { documents[old] = nil }
        }
        guard let row, var value = try? JSON(parsing: row.body) else { return }
        for key in keys {
            guard let member = value[key] else { return }
            value = member
        }
        guard let key = JSONKey(value) else { return }
        values[documentID] = key
        documents[key, default: []].insert(documentID)
    }

    /// The documents whose property equals a value.
    func documentIDs(_ value: JSON) -> [DocumentID] {
        JSONKey(value).flatMap { documents[$0] }.map(Array.init) ?? []
    }

    /// The value that a condition demands of the property; `nil` if it demands none.
    func demanded(by condition: CheckedExpression?) -> JSON? {
        switch condition {
        case .and(let terms): return terms.lazy.compactMap { demanded(by: $0) }.first
        case .comparison(.equal, .property(source: 0, let path), .literal(let literal), .binary),
            .comparison(.equal, .literal(let literal), .property(source: 0, let path), .binary):
            guard path.steps == keys.map({ .key(ExactText($0)) }) else { return nil }
            switch literal {
            case .string(let text): return .string(text)
            case .integer(let number): return .int(number)
            case .double(let number): return .double(number)
            case .boolean, .null, .missing: return nil
            }
        default: return nil
        }
    }
}
