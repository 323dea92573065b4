import DivanCommandLine
import DivanJSON
import DivanRevisions

/// Writes the documents of a collection as comma-separated values (RFC 4180), which `divan import` reads
/// back: text that looks like a number, a truth value or nothing is quoted.
struct CSVDocuments {
    /// The most columns of a table.
    private static let columnCount = 2_000

    private let output: OutputFile
    private var pending: [UInt8] = []

    /// Documents written.
    private(set) var count = 0

    init(to output: OutputFile) {
        self.output = output
    }

    /// Writes a collection of `total` documents; `forEach` calls its argument with them, twice.
    mutating func add(
        _ total: Int,
        _ progress: ProgressLine,
        _ forEach: ((DocumentID, JSONObject) throws -> Void) throws -> Void
    ) throws {
        var census = PropertyCensus()
        try forEach { _, body in census.count(body) }
        guard census.propertyCount <= Self.columnCount, !census.isFull else {
            throw Failure(
                kind: .invalid,
                sentence: "too many columns: the documents have more than "
                    + "\(Numbers.grouped(Self.columnCount)) different properties",
                hint: "select some with '--query', or use a .jsonl file"
            )
        }
        let keys = census.keys
        write(["_id"] + keys.map { CSVField.plain($0) })
        try forEach { documentID, body in
            write([Self.field(.string(documentID.text))] + keys.map { Self.field(body[$0]) })
            count += 1
            progress.show(ProgressLine.Reading(documents: UInt64(count), total: UInt64(total)))
            if pending.count > 1 << 18 { try flush() }
        }
    }

    /// Moves the file to its place.
    mutating func finish() throws {
        try flush()
        try output.finish()
    }

    private mutating func write(_ fields: [String]) {
        pending += Array(fields.joined(separator: ",").utf8)
        pending += [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
    }

    private mutating func flush() throws {
        try output.write(pending)
        pending.removeAll(keepingCapacity: true)
    }

    private static func field(_ value: JSON?) -> String {
        switch value {
        case nil: ""
        case .string(let text)?: CSVField.text(text)
        case let value?: CSVField.plain(value.canonicalText)
        }
    }
}
