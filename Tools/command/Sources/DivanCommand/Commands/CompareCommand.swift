import DivanCommandLine
import DivanCrypto
import DivanDatabase
import DivanExchange
import DivanJSON
import DivanRevisions

/// `divan compare`.
enum CompareCommand: Command {
    static let syntax = CommandSyntax(
        name: "compare",
        summary: "compare two databases",
        operands: [.database, .init(name: "OTHER", completion: .database)],
        options: [
            CommandSyntax.Option.collections("compare only these collections (default: all)")
                .grouped(.filters),
            .json,
        ] + KeyOptions.other.options(of: "the key of OTHER"),
        details: """
            Compares every document (its revision and its body) and every blob, byte by byte.
            Differences in JSON formatting are ignored. Exits with code 9 if anything differs.
            """,
        examples: [
            "divan compare travel travel-copy",
            "divan compare travel old --key-file travel.key --other-key-file old.key",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let other = DatabasePath(arguments.operands[1])
        try KeyRing.shared.take(arguments, .other, of: other)
        let left = try arguments.database.open(forWriting: false)
        let right = try other.open(forWriting: false)
        defer {
            try? left.close()
            try? right.close()
        }
        var collections = try arguments.collectionPaths()
        if collections.isEmpty {
            let all = Set(try left.collections()).union(try right.collections())
            collections = all.sorted { $0.description < $1.description }
        }
        var comparison = Comparison(
            (left, arguments.operands[0]),
            (right, arguments.operands[1])
        )
        for collection in collections { try comparison.compare(collection) }
        report(comparison, terminal)
        if comparison.differenceCount > 0 {
            throw Failure(
                kind: .different,
                sentence:
                    "\(Numbers.count(comparison.differenceCount, "difference")) found"
                    + (comparison.differenceCount > comparison.differences.count
                        ? "; the first \(comparison.differences.count) are listed" : "")
            )
        }
    }

    private static func report(_ comparison: Comparison, _ terminal: Terminal) {
        if terminal.isJSON {
            let object: JSON = [
                "documents": JSON(comparison.documentCount), "blobs": JSON(comparison.blobCount),
                "blobBytes": JSON(comparison.blobByteCount),
                "differences": .array(comparison.differences.map(\.json)),
            ]
            return terminal.result(object.canonicalText)
        }
        for difference in comparison.differences { terminal.result(difference.line) }
        if comparison.differenceCount == 0 {
            terminal.result(
                "Equal: \(Numbers.count(comparison.documentCount, "document")) and "
                    + "\(Numbers.count(comparison.blobCount, "blob"))"
            )
        }
    }
}

/// Two stores, and what differs between them.
struct Comparison {
    private let left: Store
    private let right: Store
    /// What a person calls them.
    private let names: (left: String, right: String)
    private var seenBlobs: Set<BlobDigest> = []

    /// Documents found equal.
    private(set) var documentCount = 0
    /// Blobs found equal.
    private(set) var blobCount = 0
    /// Bytes of those blobs.
    private(set) var blobByteCount = 0
    /// The first hundred differences.
    private(set) var differences: [Difference] = []
    /// All differences.
    private(set) var differenceCount = 0

    init(_ left: (store: Store, name: String), _ right: (store: Store, name: String)) {
        self.left = left.store
        self.right = right.store
        names = (left.name, right.name)
    }

    /// Compares one collection of both.
    mutating func compare(_ collection: CollectionPath) throws {
        let leftIDs = try documentIDs(left, collection)
        let rightIDs = try documentIDs(right, collection)
        let (here, both) = (Set(leftIDs), Set(rightIDs))
        for documentID in here.symmetricDifference(both).sorted() {
            let name = here.contains(documentID) ? names.left : names.right
            note(documentID, collection, .only(in: name))
        }
        for documentID in leftIDs where both.contains(documentID) {
            try compare(documentID, in: collection)
        }
    }

    private mutating func compare(_ documentID: DocumentID, in collection: CollectionPath) throws {
        let ours = try left.read { try $0.document(documentID, in: collection) }
        let theirs = try right.read { try $0.document(documentID, in: collection) }
        guard let ours, let theirs else { return }
        if ours.revisionID != theirs.revisionID {
            let revisions = ["\(ours.revisionID)", "\(theirs.revisionID)"]
            return note(documentID, collection, .revisions(revisions))
        }
        if !BodyEquivalence.isSame(ours.body, theirs.body) {
            return note(documentID, collection, .bodies)
        }
        documentCount += 1
        guard ours.mayNameBlobs else { return }
        for digest in (try BlobReferences.digests(in: ours.body))
        where seenBlobs.insert(digest).inserted {
            let places = [(left, names.left), (right, names.right)]
            let lacking = places.filter { !$0.0.blobs.contains(digest) }.map(\.1)
            guard lacking.isEmpty else {
                note(documentID, collection, .missingBlob("\(digest)", in: lacking))
                continue
            }
            let ours = try left.blobs.reader(digest)
            let theirs = try right.blobs.reader(digest)
            if try Self.isSame(ours, theirs) {
                blobCount += 1
                blobByteCount += ours.byteCount
            } else {
                note(documentID, collection, .blobContent("\(digest)"))
            }
        }
    }

    /// Whether two blobs are equal; a piece of each is in memory.
    private static func isSame(_ left: BlobReader, _ right: BlobReader) throws -> Bool {
        guard left.byteCount == right.byteCount else { return false }
        // A reader may return less than was requested.
        var (ours, theirs): (ArraySlice<UInt8>, ArraySlice<UInt8>) = ([], [])
        while true {
            if ours.isEmpty { ours = try left.read(upTo: StoreLimits.blobPieceByteCount)[...] }
            if theirs.isEmpty { theirs = try right.read(upTo: StoreLimits.blobPieceByteCount)[...] }
            let count = min(ours.count, theirs.count)
            guard count > 0 else { return ours.isEmpty && theirs.isEmpty }
            guard ours.prefix(count) == theirs.prefix(count) else { return false }
            (ours, theirs) = (ours.dropFirst(count), theirs.dropFirst(count))
        }
    }

    private func documentIDs(_ store: Store, _ collection: CollectionPath) throws -> [DocumentID] {
        var documentIDs: [DocumentID] = []
        try store.read { reader in
            guard try reader.hasCollection(collection) else { return }
            try reader.forEachDocumentID(in: collection) { documentID in
                documentIDs.append(documentID)
                return true
            }
        }
        return documentIDs
    }

    private mutating func note(
        _ documentID: DocumentID,
        _ collection: CollectionPath,
        _ kind: Difference.Kind
    ) {
        differenceCount += 1
        guard differences.count < 100 else { return }
        differences.append(
            Difference(collection: collection.wireName, documentID: documentID, kind: kind)
        )
    }
}
