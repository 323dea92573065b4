@_spi(Stores) internal import CouchbaseLiteSwift
internal import DivanDatabase
internal import DivanJSON
internal import DivanRevisions
internal import Foundation

/// A body that is ready to be stored, apart from its new blobs.
struct WrittenBody {
    /// JSON in UTF-8.
    let text: [UInt8]
    /// Whether the text may reference blobs.
    private let mayHaveBlobs: Bool
    private let contents: BlobContents

    /// A body as it was read.
    init(text: [UInt8], contents: BlobContents) {
        self.text = text
        self.contents = contents
        mayHaveBlobs = text.span.mayContainBlob
    }

    /// - Throws: `encodingFailed` for NaN or infinity, and for containers that are nested too deeply.
    init(_ members: JSONObject, _ contents: BlobContents, place: String) throws {
        do throws(JSONError) {
            var writer = JSONWriter(reservingByteCount: 512)
            try writer.value(.object(members))
            text = writer.bytes
            mayHaveBlobs = writer.hasTypeKey || members.contains(BlobReferences.attachmentsKey)
        } catch {
            throw DivanError(
                .encodingFailed,
                place: place,
                problem: "a value cannot be stored (\(error.explanation))",
                remedy: "store null or a string instead",
                underlying: error
            )
        }
        self.contents = contents
    }

    /// Whether storing it over a document would neither change the body nor add the content of a blob.
    func changesNothing(in stored: StoredDocument) -> Bool {
        contents.new.isEmpty && text == stored.body
    }

    /// Stores the new blobs and passes the revision to `save`.
    ///
    /// The blobs are protected from compaction until then.
    func storing<Output>(
        _ id: StoredID,
        over parent: ExpectedParent,
        in store: Store,
        _ save: (LocalRevision) throws -> Output
    ) throws -> Output {
        let holds = mayHaveBlobs ? try holds(in: store) : []
        defer { withExtendedLifetime(holds) {} }
        let revision = LocalRevision(id, body: text, hasBlobs: !holds.isEmpty, over: parent)
        return try save(revision)
    }

    private func holds(in store: Store) throws -> [BlobHold] {
        try BlobReferences.all(in: text.span).map { reference in
            let hold = store.blobs.hold(reference.digest)
            guard !store.blobs.contains(reference.digest) else { return hold }
            switch contents.new[reference.digest.description] {
            case .bytes(let data): return try store.blobs.writeHeld(Array(data))
            case .stored(_, let home): try Self.copy(reference.digest, from: home, to: store)
            case nil:
                // A copy of a document of another database includes its blobs. Without the content,
                // the metadata is kept, as after a pull that left the content at the peer.
                if let home = contents.database {
                    try Self.copy(reference.digest, from: home, to: store)
                }
            }
            return hold
        }
    }

    private static func copy(
        _ digest: BlobDigest,
        from database: OfficialDatabase,
        to store: Store
    ) throws {
        let home = try database.openStore()
        guard home !== store, home.blobs.contains(digest) else { return }
        let reader = try home.blobs.reader(digest)
        let writer = try store.blobs.writer()
        while case let piece = try reader.read(upTo: 65_536), !piece.isEmpty {
            try writer.append(piece)
        }
        _ = try writer.finish(expected: digest)
    }
}

extension Span<UInt8> {
    /// Whether JSON text contains `"@type"` or `"_attachments"`, as every body with a blob does.
    var mayContainBlob: Bool {
        withUnsafeBufferPointer { bytes in
            // Reads within `indices` only, and the buffer does not leave the closure.
            bytes.indices.contains { index in
                bytes[index] == UInt8(ascii: "@") || bytes[index] == UInt8(ascii: "_")
            }
        }
    }
}
