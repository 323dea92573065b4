/// Cuts comma-separated values (RFC 4180) into records.
///
/// A lone CR ends a record, as CRLF and LF do. A quote that is neither around a field nor doubled makes
/// its record malformed; the next line begins a new record.
struct CSVRecords {
    /// A field, and whether it is in quotes.
    struct Field {
        var bytes: [UInt8] = []
        var isQuoted = false
    }

    struct Record {
        /// The line on which it begins, counted from 1.
        var line = 1
        var fields: [Field] = []
        /// What is malformed.
        var problem: Problem?

        /// Whether it is an empty line, which is no record.
        fileprivate var isBlank: Bool {
            problem == nil && fields.count == 1 && fields[0].bytes.isEmpty && !fields[0].isQuoted
        }
    }

    /// What is malformed, on which line, and how to fix it.
    struct Problem: Error {
        var line: Int
        var text: String
        var hint: String?
    }

    private enum Place {
        /// Where a field begins.
        case beginning
        case plain
        case quoted
        /// After a quote inside a quoted field: its end, or half of an escaped quote.
        case afterQuote
        /// After a malformed quote, until the line ends.
        case malformed
    }

    private let separator: UInt8
    private var place = Place.beginning
    private var field = Field()
    private var record = Record()
    private var line = 1
    private var quoteLine = 1
    private var isAfterReturn = false

    init(separator: UInt8) {
        self.separator = separator
    }

    /// Takes the next byte; returns the record that it ends.
    ///
    /// - Throws: `Problem` for a field without an end.
    mutating func take(_ byte: UInt8) throws(Problem) -> Record? {
        let isSecondHalf = isAfterReturn && byte == UInt8(ascii: "\n")
        isAfterReturn = byte == UInt8(ascii: "\r") && place != .quoted
        if isSecondHalf { return nil }
        if place == .quoted, byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\n") { line += 1 }
            try append(byte)
            return nil
        }
        switch byte {
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
            line += 1
            return endRecord()
        case _ where place == .malformed: return nil
        case separator: endField()
        case UInt8(ascii: "\""): try takeQuote()
        case _ where place == .afterQuote: refuse("a closing quote is followed by text")
        default:
            place = .plain
            try append(byte)
        }
        return nil
    }

    /// Takes the end of the text; returns the last record.
    ///
    /// - Throws: `Problem` for a quote that is not closed.
    mutating func finish() throws(Problem) -> Record? {
        guard place != .quoted else {
            throw Problem(line: quoteLine, text: "a quote is not closed")
        }
        guard place != .beginning || !record.fields.isEmpty else { return nil }
        return endRecord()
    }

    private mutating func takeQuote() throws(Problem) {
        switch place {
        case .beginning:
            place = .quoted
            field.isQuoted = true
            quoteLine = line
        case .quoted: place = .afterQuote
        case .afterQuote:
            place = .quoted
            try append(UInt8(ascii: "\""))
        case .plain: refuse("an unquoted field contains a quote")
        case .malformed: break
        }
    }

    private mutating func refuse(_ text: String) {
        place = .malformed
        record.problem = Problem(
            line: line,
            text: text,
            hint: "put the field in quotes, and double the quotes in it"
        )
    }

    private mutating func append(_ byte: UInt8) throws(Problem) {
        guard field.bytes.count < ExchangeLimits.documentByteCount else {
            let begin = field.isQuoted ? quoteLine : line
            throw Problem(
                line: begin,
                text: "a field is larger than 64 MiB",
                hint: "check for a missing quote"
            )
        }
        field.bytes.append(byte)
    }

    private mutating func endField() {
        record.fields.append(field)
        field.bytes.removeAll(keepingCapacity: true)
        field.isQuoted = false
        place = .beginning
    }

    private mutating func endRecord() -> Record? {
        endField()
        defer { record = Record(line: line) }
        return record.isBlank ? nil : record
    }
}
