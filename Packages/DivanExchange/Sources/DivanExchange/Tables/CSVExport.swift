public import DivanDatabase
import DivanJSON
import DivanRevisions

/// Writes the documents of a collection as comma-separated values (RFC 4180), with a column for each property.
///
/// An import reads them back: text that looks like a number, a truth value or nothing is quoted.
public struct CSVExport {
    private static let bufferByteCount = 1 << 18

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

    /// Writes a collection; documents that have expired are left out.
    ///
    /// - Parameters:
    ///   - path: The collection.
    ///   - reader: The state of the database to write.
    ///   - living: Which documents have not expired.
    ///   - choice: The documents that are written, called twice; `nil` for all, in the order of IDs.
    /// - Throws: `ExchangeError` with `tooManyColumns`; `StoreError`; errors of the sink, the choice and the progress
    ///   handler.
    public mutating func write(
        _ path: CollectionPath,
        of reader: StoreReader,
        among living: UnexpiredDocuments,
        choosing choice: DocumentChoice? = nil
    ) throws {
        let expected = choice == nil ? try reader.count(in: path) : nil
        var census = PropertyCensus()
        try reader.forEachObject(in: path, choosing: choice, among: living, &damaged) { _, body in
            try progress(ExchangeProgress(totalCount: expected))
            try census.count(body)
            guard census.propertyCount <= ExchangeLimits.csvColumnCount, !census.isFull else {
                throw Self.tooManyColumns
            }
        }
        let keys = census.keys
        let total = expected ?? census.documentCount
        append((["_id"] + keys.map { CSVField.plain($0) }).joined(separator: ","))
        endLine()
        var known = DamagedDocuments()
        try reader.forEachObject(
            in: path,
            choosing: choice,
            among: living,
            &known
        ) { document, body in
            append(CSVField.text(document.documentID.text))
            for key in keys {
                pending.append(UInt8(ascii: ","))
                if let value = body.value(of: key) { try append(value) }
            }
            endLine()
            count += 1
            if pending.count > Self.bufferByteCount { try flush() }
            try progress(ExchangeProgress(documentCount: count, totalCount: total))
        }
        try flush()
    }

    private static var tooManyColumns: ExchangeError {
        ExchangeError(
            .tooManyColumns,
            "too many columns: the documents have more than 2,000 different properties",
            remedy: "export the documents as JSON"
        )
    }

    private mutating func append(_ text: String) {
        pending.append(contentsOf: text.utf8)
    }

    private mutating func endLine() {
        pending.append(UInt8(ascii: "\r"))
        pending.append(UInt8(ascii: "\n"))
    }

    private mutating func append(_ value: JSONMembers.Value) throws {
        switch value {
        case .short(.string(let text)): append(CSVField.text(text))
        case .short(let value): append(CSVField.plain(value.canonicalText))
        case .long(let json):
            switch json.first {
            case UInt8(ascii: "["), UInt8(ascii: "{"): try appendQuoted(json)
            case UInt8(ascii: "\""):
                let text = try JSON(parsing: json, limits: StorageLimits.bodyText).string ?? ""
                try appendQuoted(Array(text.utf8)[...])
            default: pending += json
            }
        }
    }

    /// Appends a long text in quotes, which are doubled inside of it, in pieces.
    ///
    /// A quoted JSON text is read back as text in any case.
    private mutating func appendQuoted(_ text: ArraySlice<UInt8>) throws {
        let quote = UInt8(ascii: "\"")
        pending.append(quote)
        for start in stride(from: text.startIndex, to: text.endIndex, by: Self.bufferByteCount) {
            let piece = text[start..<min(start + Self.bufferByteCount, text.endIndex)]
            for part in piece.split(separator: quote, omittingEmptySubsequences: false).enumerated()
            {
                if part.offset > 0 { pending += [quote, quote] }
                pending += part.element
            }
            try flush()
        }
        pending.append(quote)
    }

    private mutating func flush() throws {
        try sink(pending)
        pending.removeAll(keepingCapacity: true)
    }
}
