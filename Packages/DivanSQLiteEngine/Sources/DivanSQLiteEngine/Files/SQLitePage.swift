internal import DivanStorage

/// A page of a b-tree, read without the schema that says which table it belongs to.
///
/// Anything in it may be damaged, so every number is checked against the page's own bounds.
///
/// Source: the file format of SQLite, §1.6 (b-tree pages) and §2.1 (records).
struct SQLitePage {
    /// The type in the first byte.
    enum Kind: UInt8 {
        case indexInterior = 2
        case tableInterior = 5
        case indexLeaf = 10
        case tableLeaf = 13

        var isInterior: Bool { self == .indexInterior || self == .tableInterior }
    }

    /// A table of a database, recognised by the columns of its records.
    enum Table: Hashable {
        /// In a file created before there were checksums, the body precedes its checksum.
        case documents(bodyIsLast: Bool)
        case collections
        case values
        case dictionaries
        case schema

        var isDocuments: Bool {
            if case .documents = self { true } else { false }
        }
    }

    private enum Value {
        case null, integer, real, text, bytes

        init?(serialType: UInt64) {
            switch serialType {
            case 0: self = .null
            case 1...6, 8, 9: self = .integer
            case 7: self = .real
            case 10, 11: return nil
            default: self = serialType % 2 == 0 ? .bytes : .text
            }
        }
    }

    /// The pages below an interior page.
    let children: [UInt32]
    /// The table of its records, as the first of them shows; `nil` for other tables, and for an
    /// interior page of a table, which has none.
    let table: Table?
    /// The number of the last row, for a page that has rows of a table.
    let lastNumber: Int64?

    /// Reads a page other than the first; `nil` if it is not a page of a b-tree, or an empty one.
    init?(_ bytes: [UInt8], pageCount: UInt32) {
        guard let kind = bytes.first.flatMap(Kind.init(rawValue:)) else { return nil }
        var head = Cursor(bytes: bytes, offset: 3)
        guard let cellCount = head.number(2), cellCount > 0 else { return nil }
        head.offset = 8
        var children: [UInt32] = []
        if kind.isInterior {
            guard let last = head.number(4) else { return nil }
            children.append(last)
        }
        var (first, last): (Cursor?, Cursor?)
        for _ in 0..<cellCount {
            guard let place = head.number(2) else { return nil }
            var cell = Cursor(bytes: bytes, offset: Int(place))
            if kind.isInterior {
                guard let child = cell.number(4) else { return nil }
                children.append(child)
            }
            first = first ?? cell
            last = cell
        }
        guard children.allSatisfy({ (2...max(pageCount, 2)).contains($0) }) else { return nil }
        self.children = children
        table = first.flatMap { Self.table(of: $0, in: kind) }
        lastNumber = kind == .tableLeaf ? last.flatMap(Self.number) : nil
    }

    private static func number(of row: Cursor) -> Int64? {
        var row = row
        guard row.varint() != nil else { return nil }  // bytes of the record
        return row.varint().flatMap { Int64(exactly: $0) }
    }

    private static func table(of cell: Cursor, in kind: Kind) -> Table? {
        guard kind != .tableInterior else { return nil }
        var cell = cell
        guard let byteCount = cell.varint() else { return nil }
        if kind == .tableLeaf, cell.varint() == nil { return nil }  // its number
        guard let values = cell.values() else { return nil }
        return kind == .tableLeaf ? rowTable(values, byteCount) : keyTable(values)
    }

    /// The table whose rows have such columns, in this many bytes.
    private static func rowTable(_ values: [Value], _ byteCount: UInt64) -> Table? {
        if values == [.text, .text, .text, .integer, .text] { return .schema }
        // Tables of a full-text index have such rows, too, but short ones.
        if values == [.null, .bytes, .integer], byteCount > 256 { return .dictionaries }
        if (5...7).contains(values.count),
            values.starts(with: [.null, .text, .text, .integer, .integer]),
            values[5...].allSatisfy({ $0 == .integer })
        {
            return .collections
        }
        guard values.count == 9, values.starts(with: [.null, .text, .bytes, .integer]),
            values[4] == .null || values[4] == .integer,
            values[5] == .bytes || values[5] == .integer, values[6] == .integer
        else { return nil }
        switch (values[7], values[8]) {
        // A packed body is a blob.
        case (.integer, .text), (.integer, .bytes): return .documents(bodyIsLast: true)
        case (.text, .integer), (.bytes, .integer): return .documents(bodyIsLast: false)
        default: return nil
        }
    }

    private static func keyTable(_ values: [Value]) -> Table? {
        values == [.text, .text, .bytes, .integer] ? .values : nil
    }

    private struct Cursor {
        let bytes: [UInt8]
        var offset: Int

        mutating func number(_ byteCount: Int) -> UInt32? {
            guard offset + byteCount <= bytes.count else { return nil }
            defer { offset += byteCount }
            return bytes[offset..<offset + byteCount].reduce(0) { $0 << 8 | UInt32($1) }
        }

        mutating func varint() -> UInt64? {
            var value: UInt64 = 0
            for place in 0..<9 {
                guard offset < bytes.count else { return nil }
                let byte = bytes[offset]
                offset += 1
                if place == 8 { return value << 8 | UInt64(byte) }
                value = value << 7 | UInt64(byte & 0x7F)
                if byte < 0x80 { break }
            }
            return value
        }

        /// The columns of the record that begins here.
        mutating func values() -> [Value]? {
            let start = offset
            guard let byteCount = varint(), byteCount <= UInt64(bytes.count - start) else {
                return nil
            }
            let end = start + Int(byteCount)
            var values: [Value] = []
            while offset < end {
                guard let value = varint().flatMap(Value.init(serialType:)) else { return nil }
                values.append(value)
            }
            return values
        }
    }
}

/// Numbers of the file format, in big-endian byte order.
extension [UInt8] {
    /// The four-byte number at an offset, which must be in range.
    func number(at place: Int) -> UInt32 {
        self[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Writes a number of `byteCount` bytes at an offset, which must be in range.
    mutating func write(_ number: Int, byteCount: Int, at place: Int) {
        for byte in 0..<byteCount {
            self[place + byte] = UInt8(truncatingIfNeeded: number >> (8 * (byteCount - 1 - byte)))
        }
    }
}
