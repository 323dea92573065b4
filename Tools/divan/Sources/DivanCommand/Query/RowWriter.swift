import DivanCommandLine
import DivanJSON
import DivanQuery

/// How rows are printed.
enum RowFormat: String, CaseIterable {
    /// Columns under their titles.
    case table
    /// One array of objects.
    case array = "json"
    /// One object a line.
    case lines = "jsonl"
    /// Comma-separated values (RFC 4180).
    case csv
    /// A table for Markdown.
    case markdown

    /// The format of a name in any letter case; `md` and `ndjson` are other names.
    init?(name: String) {
        switch name.lowercased() {
        case "md": self = .markdown
        case "ndjson": self = .lines
        case let name: self.init(rawValue: name)
        }
    }
}

/// Prints rows as they come; a table looks at the first ones for the widths of its columns.
///
/// On a terminal what does not fit is cut, and a table of more columns than fit is written as one
/// column a line. Elsewhere nothing is cut: who reads it there may need all of it.
struct RowWriter {
    private enum Layout {
        /// Rows wait for the widths.
        case unknown
        case columns([Int])
        /// A column a line, beside its title in so many cells.
        case records([String], titleWidth: Int)
    }

    /// Rows that a table is measured by.
    private static let measuredCount = 200
    /// Up to so many cells a column is padded where a table goes to no terminal.
    private static let paddedWidth = 40
    /// Fewer cells tell nothing of a value.
    private static let leastWidth = 4

    private let format: RowFormat
    private let titles: [String]
    /// Columns of the terminal that a table fits; `nil` where it is none.
    private let width: Int?
    /// Whether the titles of a table are bold.
    private let isStyled: Bool
    private var waiting: [[String]] = []
    private var layout = Layout.unknown
    private var count = 0
    private var writtenCount = 0

    init(_ format: RowFormat, titles: [String], width: Int? = nil, isStyled: Bool = false) {
        self.format = format
        self.titles = titles
        self.width = width
        self.isStyled = isStyled
    }

    mutating func write(_ row: [QueryValue], _ line: (String) throws -> Void) throws {
        defer { count += 1 }
        switch format {
        case .array: try line((count == 0 ? "[" : ",") + object(row))
        case .lines: try line(object(row))
        case .csv:
            if count == 0 { try line(fields(titles.map(CSVField.plain))) }
            let cells = row.map(\.field)
            // Most readers pass over an empty line.
            try line(cells == [""] ? "\"\"" : fields(cells))
        case .markdown:
            if count == 0 { try beginMarkdown(line) }
            try line(Self.markdown(row.map { $0.cell(null: "null") }))
        case .table:
            waiting.append(row.map { $0.cell(null: "null").escapingControlCharacters() })
            if case .unknown = layout, waiting.count < Self.measuredCount { return }
            try writeWaiting(line)
        }
    }

    mutating func finish(_ line: (String) throws -> Void) throws {
        switch format {
        case .array: try line(count == 0 ? "[]" : "]")
        case .table: try writeWaiting(line)
        case .markdown where count == 0: try beginMarkdown(line)
        case .csv where count == 0: try line(fields(titles.map(CSVField.plain)))
        default: break
        }
    }

    /// Comma-separated values; a terminal would obey what stands in them.
    private func fields(_ cells: [String]) -> String {
        let text = cells.joined(separator: ",")
        return width == nil ? text : text.escapingControlCharacters()
    }

    private func beginMarkdown(_ line: (String) throws -> Void) throws {
        try line(Self.markdown(titles))
        try line("|" + titles.map { _ in "---|" }.joined())
    }

    private mutating func writeWaiting(_ line: (String) throws -> Void) throws {
        if case .unknown = layout {
            try begin(titles.map { $0.escapingControlCharacters() }, line)
        }
        for cells in waiting {
            writtenCount += 1
            switch layout {
            case .unknown: break
            case .columns(let widths): try line(aligned(cells, widths))
            case .records(let titles, let titleWidth):
                try line(styled("row \(writtenCount)", "2"))
                for (title, cell) in zip(titles, cells) {
                    try line(aligned([title, cell], [titleWidth, (width ?? 0) - titleWidth - 2]))
                }
            }
        }
        waiting = []
    }

    private mutating func begin(_ titles: [String], _ line: (String) throws -> Void) throws {
        let wanted = titles.indices.map { column in
            waiting.reduce(titles[column].cellCount) { max($0, $1[column].cellCount) }
        }
        guard let width else {
            return try begin(titles, wanted.map { min($0, Self.paddedWidth) }, line)
        }
        let fitted = Self.fitted(wanted, to: width)
        if Self.lineWidth(fitted) <= width { return try begin(titles, fitted, line) }
        let titleWidth = min(titles.map(\.cellCount).max() ?? 0, width / 2)
        layout = .records(titles, titleWidth: titleWidth)
    }

    private mutating func begin(
        _ titles: [String],
        _ widths: [Int],
        _ line: (String) throws -> Void
    ) throws {
        layout = .columns(widths)
        let rule = widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ")
        try line(styled(aligned(titles, widths), "1"))
        try line(styled(rule, "2"))
    }

    /// A line in bold (1) or faint (2).
    private func styled(_ line: String, _ style: String) -> String {
        isStyled ? "\u{1B}[\(style)m\(line)\u{1B}[0m" : line
    }

    private func object(_ row: [QueryValue]) -> String {
        let members = zip(titles, row).compactMap { title, value in
            value.writableJSON.map { Self.text(.string(title)) + ":" + Self.text($0) }
        }
        return "{" + members.joined(separator: ",") + "}"
    }

    private static func text(_ json: JSON) -> String {
        String(decoding: (try? json.canonicalBytes()) ?? Array("null".utf8), as: UTF8.self)
    }

    private func aligned(_ cells: [String], _ widths: [Int]) -> String {
        var text = zip(cells, widths).map { cell, columnWidth in
            (width == nil ? cell : cell.cut(toCells: columnWidth)).padding(to: columnWidth)
        }.joined(separator: "  ")
        while text.last == " " { text.removeLast() }
        return text
    }

    private static func lineWidth(_ widths: [Int]) -> Int {
        widths.reduce(0, +) + 2 * (widths.count - 1)
    }

    /// Takes from the widest columns until a line fits, as long as they keep a few cells.
    private static func fitted(_ widths: [Int], to width: Int) -> [Int] {
        var widths = widths
        while lineWidth(widths) > width,
            let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
            widths[widest] > leastWidth
        {
            widths[widest] -= 1
        }
        return widths
    }

    private static func markdown(_ cells: [String]) -> String {
        "| "
            + cells.map {
                $0.escapingControlCharacters().spelling("|", as: "\\|")
            }.joined(separator: " | ") + " |"
    }
}

extension QueryValue {
    /// The value among comma-separated ones.
    fileprivate var field: String {
        if case .string(let text) = self { return CSVField.text(text) }
        return CSVField.plain(cell(null: ""))
    }

    /// The value as a cell of a table; where MISSING is empty, null has a word.
    fileprivate func cell(null: String) -> String {
        switch self {
        case .missing: ""
        case .null: null
        case .string(let text): text
        case .container(let bytes): String(decoding: bytes, as: UTF8.self)
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .double(let value): "\(value)"
        case .binary(let bytes): "(\(bytes.count) bytes)"
        }
    }
}
