@_spi(Stores) import CouchbaseLiteSwift
import DivanCommandLine
import DivanDatabase
import DivanDelta
import DivanExchange
import DivanLZ4
import DivanPlatform
import DivanRevisions
import DivanSeal
import DivanZlib

extension DatabasePath {
    /// Opens the database, which must exist.
    ///
    /// Expired documents are purged before writing: what is saved under such an ID is a new
    /// document, and does not expire with the old one.
    func open(forWriting: Bool, keepingExpired: Bool = false) throws -> Store {
        let store = try open(StoreOptions(create: false, readOnly: !forWriting))
        if forWriting, !keepingExpired { try store.purgeExpired(now: Moment.now()) }
        return store
    }

    /// Ensures that an open database has these collections.
    ///
    /// - Throws: `StoreError` for the first that is missing.
    func require(_ collections: [CollectionPath], in store: Store) throws {
        for collection in collections where try !store.hasCollection(collection) {
            throw StoreError(.noSuchCollection(collection), at: bundle)
        }
    }

    /// The UUID that peers see; `nil` if the database needs a key, or cannot be read.
    var publicUUIDWithoutKey: [UInt8]? {
        let options = StoreOptions(create: false, readOnly: true)
        guard let store = try? Store.open(directory: bundle, options: options) else { return nil }
        defer { try? store.close() }
        return store.publicUUID
    }

    /// Ensures that the database exists.
    ///
    /// - Throws: `StoreError` if it does not; `Failure` if we are not permitted to look.
    func requireDatabase() throws {
        if exists { return }
        do throws(SystemError) {
            _ = try FileStatus(of: bundle + "/db.sqlite3")
        } catch  where error.errno == .permissionDenied || error.errno == .notPermitted {
            throw Failure.writing(bundle, error.errno)
        } catch {}
        // A link is not a database, but it exists; the error of opening it says what to do.
        if (try? FileStatus(of: bundle, followingLinks: false))?.kind == .symbolicLink {
            return try open(StoreOptions(create: false)).close()
        }
        throw StoreError(.noSuchDatabase, at: bundle)
    }

    /// Old revisions are packed as programs do by default; they can be read however they are packed.
    private static var archive: BodyArchive {
        BodyArchive(packing: .lz4, deflate: DeflateCodec(), lz4: LZ4Codec())
    }

    private func open(_ options: StoreOptions) throws -> Store {
        var options = options
        if options.sealing == nil, isSealed {
            options.sealing = try KeyRing.shared.key(of: self).sealing()
        }
        options.archive = Self.archive
        options.packing = .bundled
        return try Store.open(directory: bundle, options: options)
    }
}

extension StoreReader {
    /// Documents of all collections; tombstones do not count.
    func documentCount() throws -> Int {
        try collections().reduce(0) { try $0 + count(in: $1) }
    }
}

extension StoreReader {
    /// The failure of a command that finds no such document; names a collection that has one with this ID.
    func noDocument(_ documentID: DocumentID, in collection: CollectionPath) -> Failure {
        if hasDeleted(documentID, in: collection) {
            return .noDocument(documentID.text, in: collection.wireName, wasDeleted: true)
        }
        let place = (try? collections())?.first { path in
            path != collection && (try? document(documentID, in: path)) != nil
        }
        return .noDocument(documentID.text, in: collection.wireName, butIn: place?.wireName)
    }
}

extension StoreReader {
    /// Whether the document is there as a tombstone; false if that cannot be found out.
    func hasDeleted(_ documentID: DocumentID, in collection: CollectionPath) -> Bool {
        let stored = try? document(documentID, in: collection, includingTombstones: true)
        return stored?.isTombstone ?? false
    }
}

extension DatabasePath {
    /// The same, for a database that may be open.
    func hasDeleted(_ id: String, in collection: CollectionName) -> Bool {
        guard let store = try? open(forWriting: false) else { return false }
        defer { try? store.close() }
        let (documentID, path) = (DocumentID(unchecked: id), CollectionPath(collection))
        return (try? store.read { $0.hasDeleted(documentID, in: path) }) ?? false
    }
}

extension Failure {
    /// The document is not in the collection: it was deleted, or is perhaps in another.
    static func noDocument(
        _ id: String,
        in collection: String,
        butIn place: String? = nil,
        wasDeleted: Bool = false
    ) -> Failure {
        let option = collection == "\(CollectionName.default)" ? "" : " -c \(collection)"
        let elsewhere = place.map { "a document with this ID is in \($0); use '-c \($0)'" }
        let hint =
            wasDeleted
            ? "it was deleted; run 'divan revs\(option)' to show its revisions"
            : elsewhere ?? "run 'divan ls\(option)' to list the documents"
        return Failure(
            kind: .notFound,
            sentence: "document '\(id)' not found in collection '\(collection)'",
            hint: hint
        )
    }
}

extension Arguments {
    /// The database that is the first operand.
    var database: DatabasePath { DatabasePath(operands.first ?? "") }

    /// The collection of `--collection`, the default one if it was not given.
    func collection() throws(Failure) -> CollectionName {
        guard let text = value("--collection") else { return .default }
        return try CollectionName.parsing(text)
    }

    /// The collections of `--collections`, empty if it was not given.
    func collections() throws(Failure) -> [CollectionName] {
        var names: [CollectionName] = []
        for text in list("--collections") { names.append(try CollectionName.parsing(text)) }
        return names
    }

    /// The same as ``collection()``, for the store.
    func collectionPath() throws(Failure) -> CollectionPath { CollectionPath(try collection()) }

    /// The same as ``collections()``, for the store.
    func collectionPaths() throws(Failure) -> [CollectionPath] {
        try collections().map { CollectionPath($0) }
    }
}

extension CollectionPath {
    /// The store's path of a collection name.
    init(_ name: CollectionName) {
        // The rules of both are the same.
        self = CollectionPath(scope: name.scope, name: name.name) ?? .default
    }
}

extension CollectionName {
    /// The name of a collection in the store.
    init(_ path: CollectionPath) {
        self = CollectionName(scope: path.scope, name: path.name) ?? .default
    }

    /// What peers call it.
    var wireName: String { CollectionPath(self).wireName }

    /// Reads `scope.name` or `name`.
    static func parsing(_ text: String) throws(Failure) -> CollectionName {
        guard let name = CollectionName(text) else {
            throw Failure(
                kind: .invalid,
                sentence: "invalid collection name '\(text)'",
                hint: "use scope.name or name, with letters, digits, _, - and %; neither part can "
                    + "begin with _ or %"
            )
        }
        return name
    }

    /// Parses several, and drops duplicates.
    static func parsing(each texts: some Sequence<String>) throws(Failure) -> [CollectionName] {
        var (names, seen): ([CollectionName], Set<CollectionName>) = ([], [])
        for text in texts {
            let name = try parsing(text)
            if seen.insert(name).inserted { names.append(name) }
        }
        return names
    }
}

extension CommandSyntax.Operand {
    static let database = CommandSyntax.Operand(name: "DB", completion: .database)
    static let document = CommandSyntax.Operand(name: "ID", completion: .document)
    static let documents = CommandSyntax.Operand(
        name: "ID",
        isRepeating: true,
        completion: .document
    )
}

extension CommandSyntax.Option {
    static let collection = value(
        "--collection",
        "NAME",
        short: "-c",
        completion: .collection,
        "the collection: scope.name or name (default: _default)"
    )
    /// A list of collections, completed by those of the database that is the first operand.
    static func collections(
        _ help: String,
        completion: CommandSyntax.Completion = .collection
    ) -> CommandSyntax.Option {
        value(
            "--collections",
            "LIST",
            short: "-c",
            isRepeating: true,
            completion: completion,
            help
        )
    }
    static let json = flag("--json", "print results as JSON").grouped(.output)
    static let dryRun = flag("--dry-run", "show what would be done, without doing it")
    /// Every destructive command accepts it, even if it does not ask.
    static let yes = flag("--yes", "do not ask for confirmation")
    /// For commands that never ask, so that scripts can pass the option to all commands.
    static let unneededYes = flag("--yes", "has no effect: this command never asks")
}

/// Work that is undone if Ctrl-C or SIGTERM stops it.
enum Stoppable {
    /// Runs work that checks `Interruption.current`, or copies a database; `rest` says what is left if stopped.
    ///
    /// With `endsAtOnce` nothing needs to be undone: the work may be waiting for a reader of its output.
    ///
    /// - Throws: `Failure` of kind `interrupted` if it was stopped, and what `work` throws.
    static func run<Result>(
        leaving rest: String,
        endsAtOnce: Bool = false,
        _ work: () throws -> Result
    ) throws -> Result {
        let interruption = Interruption.forVerb()
        let control = QueryControl()
        let isOwn = Streams.current.interruption == nil
        interruption.onRequest { [unowned interruption] in
            control.cancel()
            guard endsAtOnce, isOwn else { return }
            StopSignals.end(by: interruption.isTermination ? .terminate : .interrupt)
        }
        return try withExtendedLifetime(interruption) {
            do {
                return try Interruption.$current.withValue(interruption) {
                    try LongWork.stopping(by: control, work)
                }
            } catch {
                guard interruption.isRequested else { throw error }
                throw Failure.stopped(by: interruption.cause, leaving: rest)
            }
        }
    }
}

extension DatabasePath {
    /// The cipher of the database; `nil` if it is plain or does not exist.
    var cipher: String? {
        switch Seal.kind(ofHead: Store.head(directory: bundle, count: 16).span) {
        case .sealed(let cipher): cipher
        case .sealedOtherwise(let number): "cipher \(number)"
        case .plain, .unknown: nil
        }
    }

    /// Whether a key is needed.
    var isSealed: Bool { cipher != nil }
}
