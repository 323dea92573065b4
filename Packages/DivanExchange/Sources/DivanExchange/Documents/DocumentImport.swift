@_spi(Stores) public import CouchbaseLiteSwift
public import DivanDatabase
import DivanJSON
import DivanRevisions

/// Saves documents, a thousand at a time, or as many as make 8 MiB, in one transaction.
///
/// A document that already exists with the same content is left alone, so that an input can be imported
/// again after an import that was stopped or killed.
///
/// ```swift
/// var documents = try DocumentImport(into: database)
/// try DocumentFormat.json.read(source) { try documents.add(&$0) }
/// try documents.finish()
/// ```
public struct DocumentImport {
    /// How documents are handled.
    public struct Rules: Sendable {
        /// The collection of documents that do not name one; it is created if it does not exist.
        public var collection: CollectionPath
        /// Whether a document may name its collection under `_collection`.
        public var readsCollections: Bool
        /// Where documents get their IDs from.
        public var ids: ImportIDs
        /// Whether invalid documents are left out, instead of ending the import.
        public var skipsInvalid: Bool
        /// Documents with this `_sequence` or a lower one are skipped; none if it is 0.
        public var since: UInt64
        /// Whether everything is read and checked, but nothing saved.
        public var isDry: Bool
        /// Whether documents include revision IDs of CouchDB, and keep them.
        ///
        /// Requires a database with revision trees.
        public var keepsRevisions: Bool

        /// Sets the rules.
        public init(
            collection: CollectionPath = .default,
            readsCollections: Bool = false,
            ids: ImportIDs = ImportIDs(),
            skipsInvalid: Bool = false,
            since: UInt64 = 0,
            isDry: Bool = false,
            keepsRevisions: Bool = false
        ) {
            self.collection = collection
            self.readsCollections = readsCollections
            self.ids = ids
            self.skipsInvalid = skipsInvalid
            self.since = since
            self.isDry = isDry
            self.keepsRevisions = keepsRevisions
        }
    }

    /// What an import reports about a document while it continues.
    public enum Notice {
        /// A document is saved, but is larger than peers accept.
        case tooLargeToSync(id: String, byteCount: Int)
        /// A document was left out because it is invalid.
        case skipped(ExchangeError)
        /// A document with kept revisions was left out, because it was changed both here and in the source.
        case diverged(id: String)
    }

    private struct Item {
        var documentID: DocumentID
        var collection: CollectionPath
        var body: [UInt8]
        var namesBlobs = false
        var storedBlobCount = 0
        var isTombstone = false
        var hasRandomID = false
        var revision: KeptRevision?
        // Keep its blobs until it is saved.
        var holds: [BlobHold] = []

        /// Whether a database that holds `current` already matches the item.
        func isStored(as current: StoredDocument?) -> Bool {
            if let revision { return current?.revisionID == revision.id }
            guard let current else { return isTombstone }
            return !isTombstone && BodyEquivalence.isSame(current.body, body)
        }
    }

    /// The result for a document.
    private enum Outcome {
        case saved
        case unchanged
        /// It was changed here, and differently where it comes from.
        case diverged
    }

    private let store: Store
    private var draft: StoreDraft?  // an incomplete database is never opened
    private let rules: Rules
    /// Where documents get their IDs from, and which of them had none.
    public private(set) var ids: ImportIDs
    private var items: [Item] = []
    private var heldByteCount = 0
    /// Bytes of the texts of the documents so far.
    public private(set) var byteCount: UInt64 = 0
    private var named: Set<BlobDigest> = []  // without their contents
    /// Whether the import was ended by an invalid document, which ``Rules/skipsInvalid`` would leave out.
    public private(set) var endedWithDocument = false

    /// Documents that are saved.
    public private(set) var savedCount = 0
    /// Documents that already existed with the same content, and were left alone.
    public private(set) var unchangedCount = 0
    /// Blobs that came with the saved documents, and are stored.
    public private(set) var blobCount = 0
    /// Documents that were left out.
    public private(set) var refusedCount = 0
    /// In a dry run: documents that exist already, and would change.
    public private(set) var replacedCount = 0

    /// Imports into an open database.
    public init(into database: Database, rules: Rules = Rules()) throws {
        self.init(into: try database.openStore(), rules: rules)
    }

    /// Imports into an open store, which stays open.
    public init(into store: Store, rules: Rules = Rules()) {
        self.store = store
        self.rules = rules
        ids = rules.ids
    }

    /// Creates a database whose collections the documents name; it gets its name when ``place()`` is called.
    ///
    /// - Parameters:
    ///   - bundle: The directory `<name>.cblite2` that is created.
    ///   - key: The key to encrypt it with; `nil` for a plain database.
    /// - Throws: `StoreError` with `alreadyExists` if something is there; `SealError` for an invalid key.
    public init(creating bundle: String, key: EncryptionKey? = nil) throws {
        let draft = try StoreDraft(of: bundle, while: "copying")
        let store = try draft.makeStore(scheme: .trees, key: key)
        self.init(into: store, rules: Rules(readsCollections: true))
        self.draft = draft
    }

    /// Closes a database that was created, and gives it its name.
    ///
    /// - Throws: `StoreError`.
    public func place() throws {
        guard let draft else { return }
        try store.close()
        try draft.place()
    }

    /// Removes a database that was created in vain.
    public func discard() {
        guard let draft else { return }
        try? store.close()
        draft.discard()
    }

    /// Documents that were read: saved, unchanged or waiting.
    public var readCount: Int { savedCount + unchangedCount + items.count }
    /// How far the import is.
    public var progress: ExchangeProgress {
        ExchangeProgress(documentCount: readCount, byteCount: byteCount)
    }

    /// Adds a document, and releases its text.
    ///
    /// - Parameters:
    ///   - entry: A document of an input; it has no text afterwards.
    ///   - report: Is called for documents that are skipped, and with warnings.
    /// - Throws: `ExchangeError` for an invalid document, unless these are skipped; `StoreError` if the database
    ///   cannot be written.
    public mutating func add(
        _ entry: inout DocumentText,
        report: (Notice) -> Void = { _ in }
    ) throws {
        do {
            if let item = try item(entry) {
                items.append(item)
                let count = item.body.count
                heldByteCount += count
                if count > StoreLimits.syncedBodyByteCount {
                    report(.tooLargeToSync(id: item.documentID.text, byteCount: count))
                }
            }
            byteCount += UInt64(entry.bytes.count)
            entry.bytes = []
        } catch let error as ExchangeError {
            guard rules.skipsInvalid, error.isOfInput else {
                endedWithDocument = error.isOfInput
                throw error
            }
            refusedCount += 1
            report(.skipped(error))
        }
        if items.count == ExchangeLimits.batchCount || heldByteCount > ExchangeLimits.batchByteCount
        {
            try commit(report: report)
        }
    }

    /// Saves the last batch, and creates the collection; everything was read.
    ///
    /// - Throws: `ExchangeError` with `noIDKey` if no document had the key that one must have; `StoreError`.
    public mutating func finish(report: (Notice) -> Void = { _ in }) throws {
        try commit(report: report)
        // A file that names no document still names its collection.
        if !rules.isDry { try store.createCollection(rules.collection) }
    }

    /// Saves the documents that were added, so that they are kept if the rest of the input fails.
    ///
    /// - Throws: As ``finish(report:)``.
    public mutating func commit(report: (Notice) -> Void = { _ in }) throws {
        try ids.check()
        if rules.isDry { try look() } else { try save(report) }
        items.removeAll(keepingCapacity: true)
        heldByteCount = 0
    }

    /// Returns the blobs that the documents refer to, and that are neither here nor at a peer.
    public func missingBlobs() throws -> [BlobDigest] {
        guard !named.isEmpty, !rules.isDry else { return [] }
        return try store.read { reader in
            try named.filter {
                try !store.blobs.contains($0) && reader.absentBlob($0) == nil
            }.sorted()
        }
    }

    /// Counts what would be saved, and what exists already.
    private mutating func look() throws {
        try store.read { reader in
            for item in items {
                let isThere = try reader.hasCollection(item.collection)
                let current =
                    isThere ? try reader.document(item.documentID, in: item.collection) : nil
                guard !item.isStored(as: current) else {
                    unchangedCount += 1
                    continue
                }
                if current != nil { replacedCount += 1 }
                count(item)
            }
        }
    }

    private mutating func save(_ report: (Notice) -> Void) throws {
        let outcomes = try store.write { writer in
            try items.map { item in
                try writer.createCollection(item.collection)
                if let kept = item.revision { return try Self.insert(item, kept, writer) }
                return try Self.save(item, writer) ? Outcome.saved : .unchanged
            }
        }
        for (item, outcome) in zip(items, outcomes) {
            switch outcome {
            case .saved: count(item)
            case .unchanged: unchangedCount += 1
            case .diverged:
                refusedCount += 1
                report(.diverged(id: item.documentID.text))
            }
        }
    }

    /// Stores a revision under its own ID.
    private static func insert(
        _ item: Item,
        _ kept: KeptRevision,
        _ writer: StoreWriter
    ) throws -> Outcome {
        let revision = RemoteRevision(
            documentID: item.documentID,
            revisionID: kept.id,
            history: kept.history,
            isTombstone: item.isTombstone,
            body: item.body,
            hasBlobs: item.namesBlobs,
            refusesConflicts: true
        )
        do throws(StoreError) {
            switch try writer.insert(revision, in: item.collection) {
            case .inserted, .givenUp: return .saved
            case .alreadyThere, .overtaken: return .unchanged
            }
        } catch {
            guard case .conflict = error.code else { throw error }
            return .diverged
        }
    }

    /// Saves a document, unless the database already has it.
    private static func save(_ item: Item, _ writer: StoreWriter) throws -> Bool {
        var revision = LocalRevision(
            item.documentID,
            body: item.body,
            hasBlobs: item.namesBlobs,
            over: .revision(nil)
        )
        revision.isTombstone = item.isTombstone
        if !item.isTombstone {
            if let isSaved = try saveNew(revision, of: item, writer) { return isSaved }
        } else if try writer.document(item.documentID, in: item.collection) == nil {
            return false
        }
        revision.parent = .current
        _ = try writer.save(revision, in: item.collection)
        return true
    }

    /// Saves a document that does not exist, as most do not; `nil` if it exists and differs.
    private static func saveNew(
        _ revision: LocalRevision,
        of item: Item,
        _ writer: StoreWriter
    ) throws -> Bool? {
        guard case .conflict(let current) = try writer.save(revision, in: item.collection)
        else { return true }
        return item.isStored(as: current) ? false : nil
    }

    private mutating func count(_ item: Item) {
        savedCount += 1
        if item.hasRandomID { ids.randomCount += 1 }
        blobCount += item.storedBlobCount
    }

    /// Parses a line; `nil` if its `_sequence` shows that it is old.
    private mutating func item(_ entry: DocumentText) throws -> Item? {
        do {
            if let problem = entry.problem { throw problem }
            guard var body = try JSONMembers(parsing: entry.bytes.withoutByteOrderMark) else {
                throw ExchangeError(.invalid, "not a JSON object")
            }
            let own = entry.isForeign ? [:] : EscapedProperties.taking(from: &body)
            if !entry.isForeign, let sequence = body["_sequence"]?.int {
                if rules.since > 0, sequence <= Int64(clamping: rules.since) { return nil }
                body["_sequence"] = nil
            }
            let collection = try entry.isForeign ? rules.collection : collection(in: &body)
            let id = try ids.take(from: &body, entry)
            let documentID = try DocumentID(checking: id.text)
            let revision = try rules.keepsRevisions ? KeptRevision(taking: &body) : nil
            if !entry.isForeign, body["_deleted"]?.bool == true {
                return Item(
                    documentID: documentID,
                    collection: collection,
                    body: Array("{}".utf8),
                    isTombstone: true,
                    revision: revision
                )
            }
            for (key, value) in own { body[key] = value }
            try DocumentRules.check(body)
            var holds: [BlobHold] = []
            let installed = try InlineBlobs.install(body) { [store, rules] content in
                if rules.isDry { return BlobDigest(hashing: content.span).description }
                let hold = try store.blobs.writeHeld(content)
                holds.append(hold)
                return hold.digest.description
            }
            if installed.count > installed.storedCount {
                named.formUnion(try BlobReferences.digests(in: installed.body))
            }
            return Item(
                documentID: documentID,
                collection: collection,
                body: installed.body,
                namesBlobs: installed.count > 0,
                storedBlobCount: installed.storedCount,
                hasRandomID: id.isRandom,
                revision: revision,
                holds: holds
            )
        } catch {
            throw entry.describe(error)
        }
    }

    private func collection(in body: inout JSONMembers) throws -> CollectionPath {
        guard rules.readsCollections, let text = body["_collection"]?.string else {
            return rules.collection
        }
        body["_collection"] = nil
        guard let path = CollectionPath(text) else {
            throw ExchangeError(
                .invalid,
                "invalid collection name '\(text)'",
                remedy:
                    "use scope.name or name, with letters, digits, _, - and %; neither part can "
                    + "begin with _ or %"
            )
        }
        return path
    }
}
