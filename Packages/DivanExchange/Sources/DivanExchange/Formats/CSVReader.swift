import DivanJSON

/// How comma-separated values are read.
public struct CSVRules: Sendable {
    /// The character between fields, in ASCII; `nil` if it is found in the text.
    public var separator: UInt8?
    /// The columns whose values are always text.
    ///
    /// A text that is not the name of a column is a list of names, separated by commas.
    public var textColumns: [String]

    /// Sets the rules.
    public init(separator: UInt8? = nil, textColumns: [String] = []) {
        self.separator = separator
        self.textColumns = textColumns
    }
}

/// Reads documents from comma-separated values; the first record holds the keys.
///
/// Invalid UTF-8 is refused: a guess would alter it.
struct CSVReader {
    private struct Column {
        var key: String
        var isText: Bool
    }

    private let name: String
    private let rules: CSVRules
    private var columns: [Column] = []

    /// Calls `body` for each document of an input.
    static func read(
        _ file: ByteSource,
        _ rules: CSVRules,
        _ body: (inout DocumentText) throws -> Void
    ) throws {
        var reader = CSVReader(name: file.name, rules: rules)
        var sample = try reader.sample(of: file)
        let separator = try reader.separator(in: &sample)
        var records = CSVRecords(separator: separator)
        var piece = sample
        repeat {
            for byte in piece {
                var record = try reader.naming { () throws(CSVRecords.Problem) in
                    try records.take(byte)
                }
                if record != nil { try reader.take(&record, body) }
            }
            piece = try file.read()
        } while !piece.isEmpty
        var last = try reader.naming { () throws(CSVRecords.Problem) in try records.finish() }
        if last != nil { try reader.take(&last, body) }
    }

    private init(name: String, rules: CSVRules) {
        self.name = name
        self.rules = rules
    }

    /// The beginning of the text, without a byte order mark.
    private func sample(of file: ByteSource) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < CSVSeparator.sampleByteCount, case let piece = try file.read(),
            !piece.isEmpty
        {
            bytes += piece
        }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            throw problem("the file is in UTF-16", at: 1, hint: "save it as UTF-8")
        }
        return Array(bytes.withoutByteOrderMark)
    }

    /// The separator of the text; leaves out the line `sep=;` with which Excel names it.
    private func separator(in sample: inout [UInt8]) throws(ExchangeError) -> UInt8 {
        let mark = Array("sep=".utf8)
        if sample.starts(with: mark), sample.count > mark.count + 1,
            "\r\n".utf8.contains(sample[mark.count + 1])
        {
            let named = sample[mark.count]
            // Its line end stays, so that lines are counted as in the file.
            sample.removeFirst(mark.count + 1)
            return rules.separator ?? named
        }
        if let separator = rules.separator { return separator }
        let isTabbed = FileCompression.nameInside(name).lowercased().hasSuffix(".tsv")
        let (start, name) = (Array(sample.prefix(CSVSeparator.sampleByteCount)), name)
        do {
            return try CSVSeparator.finding(in: start, isTabbed: isTabbed)
        } catch {
            throw error.at(name)
        }
    }

    /// Reads the first record as the keys, and passes each other record on as a document.
    private mutating func take(
        _ record: inout CSVRecords.Record?,
        _ body: (inout DocumentText) throws -> Void
    ) throws {
        if columns.isEmpty, let first = record {
            columns = try checkedColumns(first)
            return
        }
        var document = try text(of: &record)
        try body(&document)
    }

    /// The text of the document in a record, which is released: its fields may be long.
    private func text(of record: inout CSVRecords.Record?) throws -> DocumentText {
        do {
            let line = record?.line ?? 0
            let members = try members(of: &record)
            let bytes = try members.canonicalBytes()
            return DocumentText(place: "\(name):\(line)", bytes: bytes[...])
        } catch let problem as CSVRecords.Problem {
            let error = ExchangeError(.invalid, problem.text, remedy: problem.hint)
            return DocumentText(place: "\(name):\(problem.line)", refusedFor: error)
        }
    }

    private func members(
        of record: inout CSVRecords.Record?
    ) throws(CSVRecords.Problem) -> JSONMembers {
        guard let record = record.take() else { return JSONMembers(JSONObject()) }
        if let problem = record.problem { throw problem }
        guard record.fields.count <= columns.count else {
            throw CSVRecords.Problem(
                line: record.line,
                text: "\(record.fields.count) fields, but \(columns.count) columns"
            )
        }
        var members: [JSONObject.Member] = []
        for (column, field) in zip(columns, record.fields) {
            let text = try text(field, of: record)
            if text.isEmpty, !field.isQuoted { continue }
            let isText = field.isQuoted || column.isText
            members.append((column.key, isText ? .string(text) : CSVField.value(of: text)))
        }
        // Columns are properties; none describes a change, unlike the members of lines.
        var object = JSONMembers(JSONObject(members))
        EscapedProperties.setApart(in: &object)
        return object
    }

    /// The keys in the first record; with duplicates, all but the last column would be lost.
    private func checkedColumns(_ record: CSVRecords.Record) throws(ExchangeError) -> [Column] {
        var seen: Set<ExactText> = []
        let keys = try naming { () throws(CSVRecords.Problem) -> [String] in
            if let problem = record.problem { throw problem }
            return try record.fields.map { field throws(CSVRecords.Problem) in
                // Only the first line: the text of a document may be anything.
                guard !field.bytes.contains(0) else {
                    throw CSVRecords.Problem(
                        line: record.line,
                        text: "a key contains a NUL character",
                        hint: "if the file is in UTF-16, save it as UTF-8"
                    )
                }
                return try text(field, of: record)
            }
        }
        // Nothing can be stored under an empty key: a spreadsheet leaves empty columns at its edge.
        for key in keys where !key.isEmpty && !seen.insert(ExactText(key)).inserted {
            throw problem(
                "two columns are named '\(key)'",
                at: record.line,
                hint: "rename one of them"
            )
        }
        // A comma may be part of a name; otherwise it separates names.
        let texts = rules.textColumns.flatMap {
            seen.contains(ExactText($0)) ? [$0] : Self.names(in: $0)
        }
        .map { ExactText($0) }
        if let text = texts.first(where: { !seen.contains($0) }) {
            let list = keys.joined(separator: ", ")
            throw problem(
                "no column is named '\(text)'",
                at: record.line,
                hint: "the columns are \(list)"
            )
        }
        return keys.map { Column(key: $0, isText: texts.contains(ExactText($0))) }
    }

    private func text(
        _ field: CSVRecords.Field,
        of record: CSVRecords.Record
    ) throws(CSVRecords.Problem) -> String {
        guard let text = String(validating: field.bytes, as: UTF8.self) else {
            throw CSVRecords.Problem(
                line: record.line,
                text: "a field is not valid UTF-8",
                hint: "save the file as UTF-8"
            )
        }
        return text
    }

    /// Names the file of a problem.
    private func naming<Output>(
        _ work: () throws(CSVRecords.Problem) -> Output
    ) throws(ExchangeError) -> Output {
        do {
            return try work()
        } catch {
            throw problem(error.text, at: error.line, hint: error.hint)
        }
    }

    private func problem(_ text: String, at line: Int, hint: String?) -> ExchangeError {
        ExchangeError(.invalid, at: "\(name):\(line)", text, remedy: hint)
    }

    /// The names in a list, separated by commas.
    ///
    /// By bytes: a comma followed by a combining mark is still a comma.
    private static func names(in list: String) -> [String] {
        list.utf8.split(separator: UInt8(ascii: ",")).map { String(Substring($0)) }
    }
}
