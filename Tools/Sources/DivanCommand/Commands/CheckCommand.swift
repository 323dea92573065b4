import DivanCrypto
import DivanJSON
import DivanRevisions
import DivanStore

/// `divan check`.
enum CheckCommand: Command {
    static let syntax = CommandSyntax(
        name: "check",
        summary: "look at everything that is stored, and tell whether it is whole",
        operands: [.database],
        options: [.json],
        details: "Reads every page, every document with its revision tree, and every blob that a "
            + "document names. Exit code 5 when anything is damaged or missing; nothing is changed.",
        examples: ["divan check travel && cp -r travel.cblite2 /backup"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let store = try arguments.database.open(forWriting: false)
        defer { try? store.close() }
        try store.checkIntegrity()
        var inspection = BlobInspection(blobs: store.blobs)
        try store.read { reader in
            for path in try reader.collections() { try inspection.inspect(path, reader) }
        }
        report(inspection, terminal)
        guard inspection.damages.isEmpty else {
            throw Failure(
                kind: .database,
                sentence: "\(arguments.database.bundle): "
                    + "\(Numbers.count(inspection.damages.count, "blob")) damaged or missing; "
                    + "sync the documents again, or restore a backup"
            )
        }
    }

    private static func report(_ inspection: BlobInspection, _ terminal: Terminal) {
        if terminal.isJSON {
            let object: JSON = [
                "documents": JSON(inspection.documentCount), "blobs": JSON(inspection.blobCount),
                "damages": .array(inspection.damages.map { .string($0) }),
            ]
            return terminal.result(object.canonicalText)
        }
        for damage in inspection.damages { terminal.result(damage) }
        guard inspection.damages.isEmpty else { return }
        terminal.result(
            "Whole: \(Numbers.count(inspection.documentCount, "document")) and "
                + Numbers.count(inspection.blobCount, "blob")
        )
    }
}

/// Reads every blob that documents name, once, and compares it with its digest.
struct BlobInspection {
    private let blobs: BlobStore
    private var seen: Set<BlobDigest> = []

    /// Documents looked at, tombstones left out.
    private(set) var documentCount = 0
    /// Blobs found whole.
    private(set) var blobCount = 0
    /// One line for each blob that is missing or altered.
    private(set) var damages: [String] = []

    init(blobs: BlobStore) {
        self.blobs = blobs
    }

    /// Looks at the blobs of every revision whose body is kept.
    mutating func inspect(_ collection: CollectionPath, _ reader: StoreReader) throws {
        try reader.forEachDocument(in: collection) { document in
            if !document.isTombstone { documentCount += 1 }
            guard document.flags.contains(.hasBlobs),
                let tree = try reader.tree(of: document.documentID, in: collection)
            else { return }
            for body in tree.revisions.compactMap(\.body) {
                for digest in try BlobReferences.digests(in: body.span)
                where seen.insert(digest).inserted {
                    try inspect(digest, of: "\(collection.wireName)/\(document.documentID)")
                }
            }
        }
    }

    private mutating func inspect(_ digest: BlobDigest, of place: String) throws {
        let place = place.escapingControlCharacters()
        guard blobs.contains(digest) else {
            damages.append("\(place): blob \(digest) is missing")
            return
        }
        var hash = SHA1()
        let reader = try blobs.reader(digest)
        while case let piece = try reader.read(upTo: StoreLimits.blobPieceByteCount),
            !piece.isEmpty
        {
            hash.update(piece.span)
        }
        if hash.finalize() == digest.bytes {
            blobCount += 1
        } else {
            damages.append("\(place): the content of blob \(digest) was altered")
        }
    }
}

extension StoreReader {
    /// Calls `body` with each document behind a sequence, tombstones too, by ascending sequence.
    func forEachDocument(
        in collection: CollectionPath,
        after sequence: UInt64 = 0,
        _ body: (StoredDocument) throws -> Void
    ) throws {
        var last = sequence
        while true {
            let page = try documents(in: collection, after: last, limit: 200)
            for document in page { try body(document) }
            guard let document = page.last else { return }
            last = document.sequence
        }
    }
}
