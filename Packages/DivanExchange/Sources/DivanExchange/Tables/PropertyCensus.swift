import DivanDatabase
import DivanJSON

/// Counts the top-level properties of documents, to turn them into columns.
struct PropertyCensus {
    /// The kinds of a property's values.
    struct Kinds: OptionSet {
        let rawValue: UInt8

        static let boolean = Kinds(rawValue: 1)
        static let integer = Kinds(rawValue: 2)
        static let real = Kinds(rawValue: 4)
        static let text = Kinds(rawValue: 8)
        /// Arrays, objects, and numbers that a table cannot hold.
        static let other = Kinds(rawValue: 16)
        /// An integer that a floating-point number cannot hold.
        static let largeInteger = Kinds(rawValue: 32)
    }

    private struct Entry {
        var count = 0
        var kinds: Kinds = []
    }

    private var entries: [ExactText: Entry] = [:]
    /// Documents that were counted.
    private(set) var documentCount = 0
    /// Whether there are more keys than are counted.
    private(set) var isFull = false

    /// Counts the properties of a document.
    mutating func count(_ document: JSONMembers) throws {
        documentCount += 1
        try document.forEachMember { key, value in
            let name = ExactText(key)
            guard entries[name] != nil || entries.count < ExchangeLimits.propertyCount else {
                isFull = true
                return
            }
            entries[name, default: Entry()].count += 1
            entries[name, default: Entry()].kinds.formUnion(Self.kinds(of: value))
        }
    }

    /// The properties that at least one of `share` documents has, the most common first.
    ///
    /// Of names that differ only in case, which a table cannot distinguish, the most common is used;
    /// names that it cannot have, or that are its own, are left out.
    func columns(besides own: [String], oneOf share: Int, limit: Int) -> [TableColumn] {
        let least = max(1, documentCount / max(1, share))
        let common = entries.filter { $0.value.count >= least }.sorted { left, right in
            left.value.count != right.value.count
                ? left.value.count > right.value.count : left.key < right.key
        }
        var taken = Set(own.map { ExactText($0) })
        var columns: [TableColumn] = []
        for (key, entry) in common where columns.count < limit {
            let name = key.text
            guard !name.isEmpty, !name.utf8.contains(0),
                taken.insert(ExactText(TableColumn.folded(name))).inserted
            else { continue }
            columns.append(TableColumn(key: name, kind: TableColumn.Kind(entry.kinds)))
        }
        return columns
    }

    /// The names of all counted properties, in byte order.
    var keys: [String] { entries.keys.sorted().map(\.text) }

    /// How many different properties there are, as far as they are counted.
    var propertyCount: Int { entries.count }

    private static func kinds(of value: JSONMembers.Value) -> Kinds {
        switch value {
        case .short(let value): kinds(of: value)
        case .long(let text): text.first == UInt8(ascii: "\"") ? .text : .other
        }
    }

    private static func kinds(of value: JSON) -> Kinds {
        switch value {
        case .null: []
        case .bool: .boolean
        case .int(let number): number.magnitude <= 1 << 53 ? .integer : [.integer, .largeInteger]
        case .double: .real
        case .string: .text
        case .uint, .long, .array, .object: .other
        }
    }
}

/// A column for a property.
struct TableColumn: Equatable {
    /// What its cells contain.
    enum Kind: String {
        case integer = "INTEGER"
        case real = "REAL"
        /// Text, or JSON if a value is anything else.
        case text = "TEXT"

        init(_ kinds: PropertyCensus.Kinds) {
            switch kinds {
            case .boolean, .integer, [.integer, .largeInteger]: self = .integer
            case .real, [.integer, .real]: self = .real
            default: self = .text
            }
        }
    }

    let key: String
    let kind: Kind

    /// The text with ASCII letters in lower case: SQLite compares names that way.
    static func folded(_ name: String) -> String {
        String(
            decoding: name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 },
            as: UTF8.self
        )
    }

    /// The cell of a document.
    func cell(of document: JSONMembers) throws -> TableCell {
        let value: JSON
        switch document.value(of: key) {
        case nil: return .null
        case .short(let short)?: value = short
        case .long(let text)? where text.first != UInt8(ascii: "\""): return .json(text)
        case .long(let text)?: value = try JSON(parsing: text, limits: StorageLimits.bodyText)
        }
        switch (kind, value) {
        case (_, .null): return .null
        case (.integer, .int(let number)): return .integer(number)
        case (.integer, .bool(let isTrue)): return .integer(isTrue ? 1 : 0)
        case (.real, .int), (.real, .double): return .real(value.double ?? 0)
        case (_, .string(let text)): return .text(text)
        default: return .text(value.canonicalText)
        }
    }
}

/// The value of a row in a column.
enum TableCell: Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    /// A JSON text.
    case json(ArraySlice<UInt8>)
}
