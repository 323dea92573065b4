import DivanCommandLine
import DivanJSON
import DivanRevisions

/// Reads documents from comma-separated values (RFC 4180); the first record holds the keys.
///
/// A lone CR ends a record, as CRLF and LF do. Invalid UTF-8 is refused: a guess would alter it.
struct CSVReader {
    private enum Place {
        /// Where a field begins.
        case beginning
        case plain
        case quoted
        /// After a quote inside a quoted field: its end, or half of an escaped quote.
        case behindQuote
    }

    private let name: String
    private var place = Place.beginning
    private var field: [UInt8] = []
    private var isQuoted = false
    private var isBehindReturn = false
    private var record: [(bytes: [UInt8], isQuoted: Bool)] = []
    private var keys: [String]?
    private var line = 1
    private var firstLine = 1

    private init(name: String) {
        self.name = name
    }

    /// Calls `body` for each document of the file at `path` (`-` is standard input).
    static func read(
        _ path: String,
        until interruption: Interruption? = nil,
        _ body: (DocumentText) throws -> Void
    ) throws {
        let file = try InputFile(path, until: interruption)
        var reader = CSVReader(name: file.name)
        var isFirst = true
        while case let piece = try file.read(), !piece.isEmpty {
            if isFirst, piece.starts(with: [0xFF, 0xFE]) || piece.starts(with: [0xFE, 0xFF]) {
                throw reader.problem("the text is UTF-16; save it as UTF-8")
            }
            // A byte order mark is not part of the text.
            let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
            let skipped = isFirst && piece.starts(with: mark) ? mark.count : 0
            isFirst = false
            for byte in piece.dropFirst(skipped) { try reader.take(byte, body) }
        }
        try reader.finish(body)
    }

    private mutating func take(
        _ byte: UInt8,
        _ body: (DocumentText) throws -> Void
    ) throws {
        let isSecondHalf = isBehindReturn && byte == UInt8(ascii: "\n")
        isBehindReturn = byte == UInt8(ascii: "\r") && place != .quoted
        if isSecondHalf { return }
        if byte == UInt8(ascii: "\n") || isBehindReturn { line += 1 }
        switch (place, byte) {
        case (.quoted, UInt8(ascii: "\"")): place = .behindQuote
        case (.quoted, _): try append(byte)
        case (.behindQuote, UInt8(ascii: "\"")):
            place = .quoted
            try append(byte)
        case (.beginning, UInt8(ascii: "\"")):
            place = .quoted
            isQuoted = true
        case (_, UInt8(ascii: ",")): endField()
        case (_, UInt8(ascii: "\n")), (_, UInt8(ascii: "\r")): try endRecord(body)
        default:
            place = .plain
            try append(byte)
        }
    }

    private mutating func append(_ byte: UInt8) throws(Failure) {
        guard field.count < DocumentText.longest else {
            throw problem("a field of more than 64 MiB; is a quote missing?")
        }
        field.append(byte)
    }

    private mutating func endField() {
        record.append((field, isQuoted))
        field.removeAll(keepingCapacity: true)
        isQuoted = false
        place = .beginning
    }

    private mutating func endRecord(_ body: (DocumentText) throws -> Void) throws {
        endField()
        defer {
            record.removeAll(keepingCapacity: true)
            firstLine = line
        }
        // An empty line is not a record.
        if record.count == 1, record[0].bytes.isEmpty { return }
        guard let keys else {
            keys = try checkedKeys()
            return
        }
        guard record.count <= keys.count else {
            throw problem("\(record.count) fields, but \(keys.count) keys")
        }
        var members: [JSONObject.Member] = []
        for (key, field) in zip(keys, record) {
            let text = try text(field.bytes)
            if let value = Self.value(text, field.isQuoted) { members.append((key, value)) }
        }
        // Columns are properties; none describes a change, unlike the members of lines.
        var object = JSONMembers(JSONObject(members))
        OwnProperties.setApart(in: &object)
        let bytes = try object.canonicalBytes()
        try body(DocumentText(place: "\(name):\(firstLine)", bytes: bytes[...]))
    }

    /// The fields of the first record; with duplicates, all but the last column would be lost.
    private func checkedKeys() throws(Failure) -> [String] {
        var keys: [String] = []
        var seen: Set<ExactText> = []
        let first = record[0].bytes
        if record.count == 1, !record[0].isQuoted, first.contains(where: ";\t".utf8.contains) {
            throw problem(
                "the keys are separated by a semicolon or a tab, not a comma; save the text with commas"
            )
        }
        for field in record {
            // Only the first line: the text of a document may be anything.
            guard !field.bytes.contains(0) else {
                throw problem("a key has a NUL; is the text UTF-16? Save it as UTF-8")
            }
            let key = try text(field.bytes)
            // Nothing can be stored under an empty key: a spreadsheet leaves empty columns at its edge.
            guard key.isEmpty || seen.insert(ExactText(key)).inserted else {
                throw problem("two columns are called \"\(key)\"; rename one")
            }
            keys.append(key)
        }
        return keys
    }

    private func text(_ bytes: [UInt8]) throws(Failure) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw problem("a field is no UTF-8; save the text as UTF-8")
        }
        return text
    }

    private mutating func finish(_ body: (DocumentText) throws -> Void) throws {
        guard place != .quoted else { throw problem("a quote is not closed") }
        if !record.isEmpty || !field.isEmpty { try endRecord(body) }
    }

    private func problem(_ text: String) -> Failure {
        Failure(kind: .invalid, sentence: "\(name):\(firstLine): \(text)")
    }

    /// A quoted value is text.
    private static func value(_ text: String, _ isQuoted: Bool) -> JSON? {
        if isQuoted { return .string(text) }
        if text.isEmpty { return nil }
        switch try? JSON(parsing: Array(text.utf8)) {
        case .some(let json) where json.isScalar: return json
        default: return .string(text)
        }
    }
}

extension JSON {
    /// Whether it is a number, `true`, `false` or `null`.
    fileprivate var isScalar: Bool {
        switch self {
        case .null, .bool, .int, .uint, .double, .long: true
        case .string, .array, .object: false
        }
    }
}
