import DivanCommandLine
import DivanJSON

/// Reads documents out of comma-separated values (RFC 4180): the first record has the keys.
struct CSVReader {
    private enum Place {
        /// Where a field begins.
        case beginning
        case plain
        case quoted
        /// Behind a quote inside a quoted field: its end, or half of a quote.
        case behindQuote
    }

    private let name: String
    private var place = Place.beginning
    private var field: [UInt8] = []
    private var isQuoted = false
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
            // A byte order mark is no part of the text.
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
        if byte == UInt8(ascii: "\n") { line += 1 }
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
        case (_, UInt8(ascii: "\n")): try endRecord(body)
        case (_, UInt8(ascii: "\r")): break
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
        // A line without anything is none.
        if record.count == 1, record[0].bytes.isEmpty { return }
        guard let keys else {
            keys = record.map { String(decoding: $0.bytes, as: UTF8.self) }
            return
        }
        guard record.count <= keys.count else {
            throw problem("\(record.count) fields, but \(keys.count) keys")
        }
        var members: [JSONObject.Member] = []
        for (key, field) in zip(keys, record) {
            if let value = Self.value(field.bytes, field.isQuoted) { members.append((key, value)) }
        }
        let bytes = try JSON.object(JSONObject(members)).canonicalBytes()
        try body(DocumentText(place: "\(name):\(firstLine)", bytes: bytes[...]))
    }

    private mutating func finish(_ body: (DocumentText) throws -> Void) throws {
        guard place != .quoted else { throw problem("a quote is not closed") }
        if !record.isEmpty || !field.isEmpty { try endRecord(body) }
    }

    private func problem(_ text: String) -> Failure {
        Failure(kind: .invalid, sentence: "\(name):\(firstLine): \(text)")
    }

    /// What is written in quotes is text.
    private static func value(_ bytes: [UInt8], _ isQuoted: Bool) -> JSON? {
        let text = String(decoding: bytes, as: UTF8.self)
        if isQuoted { return .string(text) }
        if bytes.isEmpty { return nil }
        switch try? JSON(parsing: bytes) {
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
