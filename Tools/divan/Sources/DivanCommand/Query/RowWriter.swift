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
}

/// Prints rows as they come; a table looks at the first ones for the widths of its columns.
struct RowWriter {
    /// Rows that a table is measured by.
    private static let measuredCount = 200
    /// Characters of a cell in a table; longer ones are cut.
    private static let cellWidth = 40

    private let format: RowFormat
    private let titles: [String]
    /// Columns of the terminal that a table fits; `nil` where it is none.
    private let width: Int?
    /// Whether the titles of a table are bold.
    private let isStyled: Bool
    private var waiting: [[String]] = []
    private var widths: [Int]?
    private var count = 0

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
            if count == 0 { try line(titles.map(Self.field).joined(separator: ",")) }
            try line(row.map { Self.field($0.cell) }.joined(separator: ","))
        case .markdown:
            if count == 0 {
                try line(Self.markdown(titles))
                try line("|" + titles.map { _ in "---|" }.joined())
            }
            try line(Self.markdown(row.map(\.cell)))
        case .table:
            let cells = row.map { Self.cut($0.cell.escapingControlCharacters(), Self.cellWidth) }
            guard let widths else {
                waiting.append(cells)
                if waiting.count == Self.measuredCount { try beginTable(line) }
                return
            }
            try line(Self.aligned(cells, widths))
        }
    }

    mutating func finish(_ line: (String) throws -> Void) throws {
        switch format {
        case .array: try line(count == 0 ? "[]" : "]")
        case .table where widths == nil: try beginTable(line)
        case .csv where count == 0: try line(titles.map(Self.field).joined(separator: ","))
        default: break
        }
    }

    private mutating func beginTable(_ line: (String) throws -> Void) throws {
        let titles = titles.map { Self.cut($0.escapingControlCharacters(), Self.cellWidth) }
        let wanted = titles.indices.map { column in
            waiting.reduce(titles[column].count) { max($0, $1[column].count) }
        }
        let widths = width.map { Self.fitted(wanted, to: $0) } ?? wanted
        let rule = widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ")
        try line(styled(Self.aligned(titles, widths), "1"))
        try line(styled(rule, "2"))
        for cells in waiting { try line(Self.aligned(cells, widths)) }
        waiting = []
        self.widths = widths
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

    private static func aligned(_ cells: [String], _ widths: [Int]) -> String {
        var text = zip(cells, widths).map { cell, width in
            cut(cell, width).padding(to: width)
        }.joined(separator: "  ")
        while text.last == " " { text.removeLast() }
        return text
    }

    private static func cut(_ text: String, _ width: Int) -> String {
        text.count <= width ? text : text.prefix(width - 1) + "…"
    }

    /// Takes from the widest columns until a line fits, as long as four characters are left.
    private static func fitted(_ widths: [Int], to width: Int) -> [Int] {
        var widths = widths
        while widths.reduce(0, +) + 2 * (widths.count - 1) > width,
            let widest = widths.indices.max(by: { widths[$0] < widths[$1] }), widths[widest] > 4
        {
            widths[widest] -= 1
        }
        return widths
    }

    private static func field(_ text: String) -> String {
        let needsQuotes = text.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
        return needsQuotes ? "\"\(text.replacing("\"", with: "\"\""))\"" : text
    }

    private static func markdown(_ cells: [String]) -> String {
        "| "
            + cells.map {
                $0.escapingControlCharacters().replacing("|", with: "\\|")
            }.joined(separator: " | ") + " |"
    }
}

extension QueryValue {
    /// The value as a cell of a table.
    fileprivate var cell: String {
        switch self {
        case .missing, .null: ""
        case .string(let text): text
        case .container(let bytes): String(decoding: bytes, as: UTF8.self)
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .double(let value): "\(value)"
        case .binary(let bytes): "(\(bytes.count) bytes)"
        }
    }
}
