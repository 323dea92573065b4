import DivanJSON
import DivanRevisions
public import DivanStore

/// Writes the documents of a collection as comma-separated values (RFC 4180), with a column for each property.
///
/// An import reads them back: text that looks like a number, a truth value or nothing is quoted.
public struct CSVExport {
    private let sink: ByteSink
    private let progress: ProgressHandler
    private var pending: [UInt8] = []

    /// Documents written.
    public private(set) var count = 0
    /// Documents that cannot be read, and were left out.
    public private(set) var damaged = DamagedDocuments()

    /// Begins an export.
    ///
    /// - Parameters:
    ///   - sink: Receives the text.
    ///   - progress: Is called for each document, twice: the columns must be known first.
    public init(to sink: @escaping ByteSink, progress: @escaping ProgressHandler = { _ in }) {
        self.sink = sink
        self.progress = progress
    }

    /// Writes a collection, in the order of IDs; documents that have expired are left out.
    ///
    /// - Throws: `ExchangeError` with `tooManyColumns`; `StoreError`; errors of the sink and the progress handler.
    public mutating func write(
        _ path: CollectionPath,
        of reader: StoreReader,
        among living: UnexpiredDocuments
    ) throws {
        var census = PropertyCensus()
        try reader.forEachObject(in: path, among: living, &damaged) { _, body in
            try progress(ExchangeProgress())
            census.count(body)
        }
        guard census.propertyCount <= ExchangeLimits.csvColumnCount, !census.isFull else {
            throw ExchangeError(
                .tooManyColumns,
                "too many columns: the documents have more than 2,000 different properties",
                remedy: "export the documents as JSON"
            )
        }
        let keys = census.keys
        let total = try reader.count(in: path)
        append(["_id"] + keys.map { CSVField.plain($0) })
        var known = DamagedDocuments()
        try reader.forEachObject(in: path, among: living, &known) { document, body in
            let id = Self.field(.string(document.documentID.text))
            append([id] + keys.map { Self.field(body[$0]) })
            count += 1
            if pending.count > 1 << 18 { try flush() }
            try progress(ExchangeProgress(documentCount: count, totalCount: total))
        }
        try flush()
    }

    private mutating func append(_ fields: [String]) {
        pending += Array(fields.joined(separator: ",").utf8)
        pending += [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
    }

    private mutating func flush() throws {
        try sink(pending)
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
