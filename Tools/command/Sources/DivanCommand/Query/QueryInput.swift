import DivanCommandLine
import DivanQuery

/// What was typed but not run yet, split where a semicolon outside of quotes ends a query.
///
/// Each byte is examined once, however many lines a query has. A line that begins with two dashes
/// is a comment, unless a quote is open.
struct QueryInput {
    /// One query.
    struct Question {
        /// As it was typed.
        let text: String
        /// The number of its first line.
        let line: Int
        /// Bytes before it in that line, if others came first.
        let column: Int
    }

    private var bytes: [UInt8] = []
    private var line = 0
    private var start = 0  // bytes before the query in its first line
    private var quote: UInt8?
    private var hasContent = false

    /// Whether no query has begun.
    var isEmpty: Bool { !hasContent }

    /// The quote that is open.
    var openQuote: Character? { quote.map { Character(UnicodeScalar($0)) } }

    /// Takes a line, with its number; returns the queries that it ends.
    ///
    /// - Throws: `Failure` for a query that is too long; it is discarded.
    mutating func take(_ text: String, number: Int) throws(Failure) -> [Question] {
        if hasContent { bytes.append(UInt8(ascii: "\n")) } else { begin(at: number) }
        var questions: [Question] = []
        if quote == nil, text.trimmingSpaces.hasPrefix("--") { return questions }
        var column = 0
        for byte in text.utf8 {
            column += 1
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: ";") {
                if let question = end() { questions.append(question) }
                begin(at: number, behind: column)
                continue
            } else if [UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`")].contains(byte) {
                quote = byte
            }
            hasContent = hasContent || !Self.isBlank(byte)
            bytes.append(byte)
        }
        if !hasContent { bytes = [] }
        guard bytes.count <= QueryLimits.standard.byteCount else {
            drop()
            throw Failure(
                kind: .invalid,
                sentence: "the query is longer than "
                    + Numbers.bytes(QueryLimits.standard.byteCount),
                hint: "check for a missing quote or semicolon, or set long values with '.param'"
            )
        }
        return questions
    }

    /// Treats the end of the text as the end of the query.
    mutating func end() -> Question? {
        defer { drop() }
        guard hasContent else { return nil }
        return Question(text: String(decoding: bytes, as: UTF8.self), line: line, column: start)
    }

    /// Discards what was typed.
    mutating func drop() {
        bytes = []
        quote = nil
        hasContent = false
    }

    private mutating func begin(at number: Int, behind byteCount: Int = 0) {
        bytes = []
        line = number
        start = byteCount
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        [0x20, 0x09, 0x0A, 0x0B, 0x0C, 0x0D].contains(byte)
    }
}
