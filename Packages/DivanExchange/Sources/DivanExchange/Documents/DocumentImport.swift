import Divan
import DivanCommandLine
import DivanJSON
import DivanRevisions
import DivanStore

/// Collects documents and saves a thousand at a time, or as many as make 8 MiB, in one transaction.
///
/// A document that already exists with the same content is left alone, so that a file can be imported
/// again after an import that was stopped or killed.
struct ImportBatch {
    /// How lines are handled.
    struct Rules {
        /// The collection of documents that do not name one.
        var collection: CollectionPath
        /// Whether a document may name its collection under `_collection`.
        var readsCollections = false
        /// Where documents get their IDs from.
        var ids = ImportIDs()
        /// Whether invalid documents are left out, instead of ending the import.
        var keepsGoing = false
        /// Lines with this `_sequence` or a lower one are skipped; none if it is 0.
        var since: UInt64 = 0
        /// Whether everything is read and checked, but nothing saved.
        var isDry = false
        /// Whether documents include their revision IDs, and keep them.
        var keepsRevisions = false
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

    private static let itemCount = 1000
    private static let itemsByteCount = 8 << 20

    private let store: Store
    private var draft: StoreDraft?  // half a copy is no copy, also when the program is killed
    private let rules: Rules
    /// Where documents get their IDs from, and which of them had none.
    private(set) var ids: ImportIDs
    private var items: [Item] = []
    private var heldByteCount = 0
    private var byteCount: UInt64 = 0
    private var named: Set<BlobDigest> = []  // without their contents
    private var endsWithDocument = false  // one that was not valid, and not with the file

    /// Documents that are saved.
    private(set) var savedCount = 0
    /// Documents that already existed with the same content, and were left alone.
    private(set) var unchangedCount = 0
    /// Blobs that came with the saved documents, and are stored.
    private(set) var blobCount = 0
    /// Documents that were left out.
    private(set) var refusedCount = 0
    /// In a dry run: documents that exist already, and would change.
    private(set) var replacedCount = 0

    /// Opens the database of a command; the rules' collection is created when documents are saved.
    init(_ arguments: Arguments, rules: Rules) throws {
        let store = try arguments.database.open(forWriting: !rules.isDry)
        self.init(store: store, rules: rules)
        if rules.keepsRevisions, store.scheme != .trees {
            throw Failure(
                kind: .invalid,
                sentence: "\(arguments.operands[0]) uses version vectors, but '--keep-revisions' "
                    + "requires revision trees",
                hint: "leave '--keep-revisions' out, or import into a database with revision trees"
            )
        }
    }

    /// Creates a database, with a key or without, whose collections the documents name.
    init(making path: DatabasePath, key: EncryptionKey?) throws {
        let draft = try StoreDraft(of: path.bundle, while: "copying")
        let directory = draft.directory
        let store = try DatabasePath.makeStore(at: directory, scheme: .trees, key: key)
        self.init(store: store, rules: Rules(collection: .default, readsCollections: true))
        self.draft = draft
    }

    private init(store: Store, rules: Rules) {
        self.store = store
        self.rules = rules
        ids = rules.ids
    }

    /// Closes the database, and moves one that was created to its place.
    func end() throws {
        try store.close()
        try draft?.place()
    }

    /// Removes a database that was created in vain.
    func undo() {
        try? store.close()
        draft?.discard()
    }

    /// The progress of the import.
    var reading: ProgressLine.Reading {
        ProgressLine.Reading(documents: UInt64(takenCount), bytes: byteCount)
    }

    private var takenCount: Int { savedCount + unchangedCount + items.count }

    /// Adds a document, and releases its text; an invalid one ends the import, or is reported and skipped.
    mutating func add(_ entry: inout DocumentText, report: (String) -> Void) throws {
        do {
            if let item = try item(entry) {
                items.append(item)
                let count = item.body.count
                heldByteCount += count
                StoreRules.warning(of: item.documentID, byteCount: count).map { report($0) }
            }
            byteCount += UInt64(entry.bytes.count)
            entry.bytes = []
        } catch let failure as Failure {
            guard rules.keepsGoing, failure.kind == .invalid else {
                endsWithDocument = failure.kind == .invalid
                throw failure
            }
            refusedCount += 1
            report(failure.line)
        }
        if items.count == Self.itemCount || heldByteCount > Self.itemsByteCount {
            try commit(report: report)
        }
    }

    /// Saves the last batch; everything was read.
    mutating func finish(report: (String) -> Void) throws {
        try commit(report: report)
        // A file that names no document still names its collection.
        if !rules.isDry { try store.createCollection(rules.collection) }
    }

    /// Saves the batch.
    mutating func commit(report: (String) -> Void = { _ in }) throws {
        try ids.check()
        if rules.isDry { try look() } else { try save(report) }
        items.removeAll(keepingCapacity: true)
        heldByteCount = 0
    }

    /// Blobs that the documents refer to, and that are neither here nor at a peer.
    func missingBlobs() throws -> [BlobDigest] {
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

    private mutating func save(_ report: (String) -> Void) throws {
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
                report(
                    "\(item.documentID.escapingControlCharacters()): skipped, because it was "
                        + "changed both in this database and in the source"
                )
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

    /// Saves what came before an error, and includes that in the error.
    mutating func close(after error: any Error) throws -> Failure {
        var failure = (error as? Failure) ?? Failure(explaining: error)
        // A database that refused more still does.
        if failure.kind != .database { try commit() }
        let isExpected = failure.kind == .invalid || failure.kind == .interrupted
        guard isExpected || savedCount + unchangedCount > 0 else { return failure }
        failure.sentence += "; \(savedBefore)"
        if unchangedCount > 0 {
            failure.sentence += ", \(Numbers.grouped(unchangedCount)) unchanged"
        }
        if failure.kind == .invalid {
            failure.sentence += ", the rest was not read"
            failure.hint =
                (failure.hint ?? "correct the file")
                + (endsWithDocument ? ", or use '--keep-going' to skip invalid documents" : "")
        }
        return failure
    }

    private var savedBefore: String {
        let count = Numbers.count(savedCount, "document")
        let documents = savedCount == 0 ? "no document" : "the \(count)"
        let deed = rules.isDry ? "would be" : savedCount > 1 ? "were" : "was"
        return "\(documents) before it \(deed) saved"
    }

    /// Parses a line; `nil` if its `_sequence` shows that it is old.
    private mutating func item(_ entry: DocumentText) throws -> Item? {
        do {
            if let problem = entry.problem { throw problem }
            guard var body = try JSONMembers(parsing: entry.bytes.withoutByteOrderMark) else {
                throw Failure(kind: .invalid, sentence: "not a JSON object")
            }
            let own = EscapedProperties.taking(from: &body)
            if let sequence = body["_sequence"]?.int {
                if rules.since > 0, sequence <= Int64(clamping: rules.since) { return nil }
                body["_sequence"] = nil
            }
            let collection = try collection(in: &body)
            let id = try ids.take(from: &body, entry)
            let documentID = try DocumentID(checking: id.text)
            let revision = try rules.keepsRevisions ? KeptRevision(taking: &body) : nil
            if body["_deleted"]?.bool == true {
                return Item(
                    documentID: documentID,
                    collection: collection,
                    body: Array("{}".utf8),
                    isTombstone: true,
                    revision: revision
                )
            }
            for (key, value) in own { body[key] = value }
            try StoreRules.check(body)
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
            throw Self.failure(error, of: entry)
        }
    }

    /// What is wrong with a line, and where it is.
    private static func failure(_ error: any Error, of entry: DocumentText) -> Failure {
        var failure = (error as? Failure) ?? Failure(explaining: error)
        guard let error = error as? JSONError else { return failure.at(entry.place) }
        failure.kind = .invalid
        failure.sentence = entry.sentence(of: error)
        if let hint = failure.hint { failure.sentence.replace("; \(hint)", with: "") }
        if case .unexpectedEnd = error.reason, entry.fileName == nil {
            failure.hint = "write one complete object per line, or one array"
        }
        return failure
    }

    private func collection(in body: inout JSONMembers) throws -> CollectionPath {
        guard rules.readsCollections, let text = body["_collection"]?.string else {
            return rules.collection
        }
        body["_collection"] = nil
        return CollectionPath(try CollectionName.parsing(text))
    }
}

extension ImportBatch.Rules {
    /// The rules that the arguments of `divan import` specify.
    init(_ collection: CollectionName, _ arguments: Arguments) throws(Failure) {
        self.init(
            collection: CollectionPath(collection),
            ids: ImportIDs(
                key: arguments.value("--id-from") ?? "_id",
                keepsKey: arguments.has("--keep-id"),
                isChosen: arguments.has("--id-from")
            ),
            keepsGoing: arguments.has("--keep-going"),
            since: try arguments.number("--since", in: 0...UInt64.max) ?? 0,
            isDry: arguments.has("--dry-run"),
            keepsRevisions: arguments.has("--keep-revisions")
        )
    }
}
