public import DivanJSON
internal import DivanQuery

/// A key of an index in SQL.
public struct SQLIndexKey: Hashable, Sendable {
    /// The expression, as it is written in the schema.
    public let expression: ExactText
    /// Whether text is compared without the case of ASCII letters; otherwise by bytes.
    public let ignoresCase: Bool

    /// Creates a key.
    public init(_ expression: ExactText, ignoresCase: Bool = false) {
        self.expression = expression
        self.ignoresCase = ignoresCase
    }

    /// A key of the language; `nil` for a key that no index can have.
    init?(_ key: CheckedKey, _ documents: SQLDocumentColumns) {
        guard !key.collation.isUnicode,
            let text = try? SQLIndexWriter(documents, itemSource: nil).expression(of: key)
        else { return nil }
        self.init(ExactText(text), ignoresCase: !key.collation.isCaseSensitive)
    }

    /// A column of a statement that creates an index.
    fileprivate init(column: String) {
        let collation = Self.noCase.utf8
        let ignoresCase = column.utf8.suffix(collation.count).elementsEqual(collation)
        let expression = column.utf8.dropLast(ignoresCase ? collation.count : 0)
        self.init(ExactText(String(decoding: expression, as: UTF8.self)), ignoresCase: ignoresCase)
    }

    /// The only collation that an index can have.
    private static let noCase = " COLLATE \"NOCASE\""
}

/// What an index contains, for an index of which only the statements are known, since they are what a file
/// keeps.
public struct SQLIndexContent: Hashable, Sendable {
    /// What it is ordered by; empty for a full-text index.
    public let keys: [SQLIndexKey]
    /// Whether it has only the documents that meet a condition, which is not known for a full-text index.
    public let isPartial: Bool
    /// The FTS5 tokenizer option; `nil` unless it is a full-text index.
    public let tokenizer: String?

    /// Reads the statements of `SQLIndexTranslation`.
    ///
    /// Any other text has no keys.
    ///
    /// - Parameters:
    ///   - create: Creates the index.
    ///   - tables: Create its tables.
    ///   - documents: The columns of the table of documents.
    public init(create: String, tables: [String], documents: SQLDocumentColumns) {
        var reader = ColumnReader(create)
        var columns = reader.columns()
        // Not a key: it shows which documents are live.
        if columns.last == documents.flags { columns.removeLast() }
        keys = columns.map { SQLIndexKey(column: $0) }
        isPartial = !reader.isAtEnd
        tokenizer = create.isEmpty ? tables.first.flatMap(Self.tokenizer) : nil
    }

    private static func tokenizer(of create: String) -> String? {
        guard let start = create.firstRange(of: SQLIndexTranslation.tokenizerOption) else {
            return nil
        }
        return String(create[start.upperBound...].prefix { $0 != "'" })
    }
}

/// Reads the columns of a statement that creates an index.
private struct ColumnReader {
    private var rest: Substring.UnicodeScalarView

    init(_ create: String) {
        // By scalars, since a literal may begin with a mark that forms one character with its quote.
        let start = create.firstRange(of: " (")?.upperBound ?? create.endIndex
        rest = create[start...].unicodeScalars
    }

    /// Whether only the end of the statement is left, and no condition.
    var isAtEnd: Bool { rest.elementsEqual(";".unicodeScalars) }

    /// The columns between the parentheses after the table's name; none if they are not closed.
    mutating func columns() -> [String] {
        var (columns, column) = ([String](), String.UnicodeScalarView())
        // Commas inside inner parentheses and texts are not separators.
        var (depth, isQuoted) = (0, false)
        while let scalar = rest.popFirst() {
            if scalar == "'" { isQuoted.toggle() }
            if !isQuoted, depth == 0, scalar == "," || scalar == ")" {
                columns.append(String(column))
                column = String.UnicodeScalarView()
                if scalar == ")" { return columns }
                continue
            }
            if !isQuoted, scalar == "(" { depth += 1 }
            if !isQuoted, scalar == ")" { depth -= 1 }
            if column.isEmpty, scalar == " " { continue }
            column.append(scalar)
        }
        return []
    }
}
