import DivanRevisions
import DivanStorage

/// Encodes the arguments of changes: numbers of eight bytes, and texts and bytes after their count.
struct JournalWriter {
    private(set) var bytes: [UInt8] = []

    mutating func number(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }

    mutating func bytes(_ content: [UInt8]) {
        number(UInt64(content.count))
        bytes += content
    }

    mutating func text(_ text: String) { bytes(Array(text.utf8)) }
}

/// Decodes what `JournalWriter` encodes.
struct JournalReader {
    private let content: [UInt8]
    private var position = 0

    init(_ content: [UInt8]) {
        self.content = content
    }

    var isAtEnd: Bool { position == content.count }

    mutating func number() throws(StoreError) -> UInt64 {
        guard content.count - position >= 8 else { throw StoreError(.corrupt("a short record")) }
        defer { position += 8 }
        return content[position..<position + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func bytes() throws(StoreError) -> [UInt8] {
        let count = try number()
        guard count <= UInt64(content.count - position) else {
            throw StoreError(.corrupt("a short record"))
        }
        defer { position += Int(count) }
        return Array(content[position..<position + Int(count)])
    }

    mutating func text() throws(StoreError) -> String {
        String(decoding: try bytes(), as: UTF8.self)
    }
}

extension DocumentRow {
    /// Decodes a row.
    init(journal bytes: [UInt8]) throws(StoreError) {
        var reader = JournalReader(bytes)
        let (documentID, sequence) = (DocumentID(unchecked: try reader.text()), try reader.number())
        let revision = try reader.bytes()
        guard let revisionID = RevisionID(encoded: revision.span) else {
            throw StoreError(.corrupt("a row has no revision"))
        }
        let flags = DocumentFlags(rawValue: UInt8(truncatingIfNeeded: try reader.number()))
        let (expires, expiration) = (try reader.number() != 0, try reader.number())
        let (kind, tree) = (try reader.number(), try reader.bytes())
        self.init(
            documentID: documentID,
            sequence: sequence,
            revisionID: revisionID,
            flags: flags,
            tree: kind == 0
                ? .encoded(tree)
                : .single(
                    knownAt: kind == 1
                        ? nil : RemoteID(rawValue: UInt32(truncatingIfNeeded: kind - 2))
                ),
            body: try reader.bytes(),
            expiration: expires ? Int64(bitPattern: expiration) : nil
        )
    }

    /// The row as the journal has it.
    var journalBytes: [UInt8] {
        var writer = JournalWriter()
        writer.text(documentID.text)
        writer.number(sequence)
        writer.bytes(revisionID.encoded)
        writer.number(UInt64(flags.rawValue))
        writer.number(expiration == nil ? 0 : 1)
        writer.number(UInt64(bitPattern: expiration ?? 0))
        switch tree {
        case .encoded(let tree):
            writer.number(0)
            writer.bytes(tree)
        case .single(let remote):
            writer.number(remote.map { 2 + UInt64($0.rawValue) } ?? 1)
            writer.bytes([])
        }
        writer.bytes(body)
        return writer.bytes
    }
}
