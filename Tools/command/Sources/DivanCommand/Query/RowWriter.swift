import DivanCommandLine
import DivanExchange
import DivanJSON
import DivanQuery

/// How rows are printed.
enum RowFormat: String, CaseIterable {
    /// Columns under their titles.
    case table
    /// One array of objects.
    case array = "json"
    /// One object per line.
    case lines = "jsonl"
    /// Comma-separated values (RFC 4180).
    case csv
    /// A table for Markdown.
    case markdown

    /// The format with a name in any letter case; `md` and `ndjson` are aliases.
    init?(name: String) {
        switch name.lowercased() {
        case "md": self = .markdown
        case "ndjson": self = .lines
        case let name: self.init(rawValue: name)
        }
    }
}

/// Prints rows as they arrive; a table uses the first ones to measure its columns.
///
/// On a terminal, what does not fit is truncated, and a table with more columns than fit is written with
/// one column per line. Elsewhere nothing is truncated: the reader there may need all of it.
struct RowWriter {
    private enum Layout {
        /// Rows wait until the widths are known.
        case unknown
        case columns([Int])
        /// One column per line, next to its title of this many cells.
        case records([String], titleWidth: Int)
    }

    /// Rows used to measure a table.
    private static let measuredCount = 200
    /// Columns are padded up to this width if a table does not go to a terminal.
    private static let paddedWidth = 40
    /// With fewer cells a value is unreadable.
    private static let leastWidth = 4

    private let format: RowFormat
    private let titles: [String]
    /// The terminal's width that a table must fit; `nil` if there is none.
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
            // Most readers skip an empty line.
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

    /// Comma-separated values; a terminal would obey control characters in them.
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
        let members = zip(titles, row).compactMap { title, value -> String? in
            let text =
                value == .missing ? nil : (try? QueryRowText.value(value)) ?? Array("null".utf8)
            return text.map {
                JSON.string(title).canonicalText + ":" + String(decoding: $0, as: UTF8.self)
            }
        }
        return "{" + members.joined(separator: ",") + "}"
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

    /// Shrinks the widest columns until a line fits, as long as they keep a few cells.
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
    /// The value as a CSV field.
    fileprivate var field: String {
        switch self {
        case .string(let text): CSVField.text(text)
        // As JSON writes it, so that it is read back as a number.
        case .double(let value) where value.isFinite: JSON.double(value).canonicalText
        default: CSVField.plain(cell(null: ""))
        }
    }

    /// The value as a table cell; MISSING is empty, and null is a word.
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
