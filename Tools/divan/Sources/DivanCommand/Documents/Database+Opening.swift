@_spi(Stores) import Divan
import DivanCommandLine
import DivanDelta
import DivanLZ4
import DivanRevisions
import DivanStore
import DivanZlib
import Glibc

extension DatabasePath {
    /// Opens the database, which must exist.
    func open(forWriting: Bool) throws -> Store {
        try open(StoreOptions(create: false, readOnly: !forWriting))
    }

    /// The UUID that peers see; `nil` for a database that needs a key, or cannot be read.
    var publicUUIDWithoutKey: [UInt8]? {
        let options = StoreOptions(create: false, readOnly: true)
        guard let store = try? Store.open(directory: bundle, options: options) else { return nil }
        defer { try? store.close() }
        return store.publicUUID
    }

    /// Makes the database.
    ///
    /// It gets the key of `key`; `nil` makes a plain one.
    func create(key: EncryptionKey? = nil) throws -> Store {
        try open(StoreOptions(create: true, sealing: try key?.sealing()))
    }

    /// Makes an empty database at a place that is not its own yet.
    static func makeStore(
        at directory: String,
        scheme: DivanRevisions.RevisionScheme
    ) throws -> Store {
        let identity = ForeignIdentity(
            publicUUID: [],
            privateUUID: [],
            previousPrivateUUID: nil,
            scheme: scheme
        )
        let options = StoreOptions(archive: archive)
        return try Store.create(directory: directory, replacing: identity, options: options)
    }

    /// Sees to it that there is a database.
    ///
    /// - Throws: `StoreError` when there is none; `Failure` when nobody lets us see.
    func requireDatabase() throws {
        if exists { return }
        var status = stat()
        if stat(bundle + "/db.sqlite3", &status) != 0, errno == EACCES || errno == EPERM {
            throw Failure.writing(bundle, errno)
        }
        throw StoreError(.noSuchDatabase, at: bundle)
    }

    /// The paths of all collections.
    func collectionPaths() throws -> [CollectionPath] {
        let store = try open(forWriting: false)
        defer { try? store.close() }
        return try store.read { try $0.collections() }
    }

    /// The paths of all collections, if nothing was ever saved in any; else `nil`.
    func collectionsIfNeverFilled() throws -> [CollectionPath]? {
        let store = try open(forWriting: false)
        defer { try? store.close() }
        return try store.read { reader in
            let paths = try reader.collections()
            let isNew = try paths.allSatisfy { try reader.lastSequence(in: $0) == 0 }
            return isNew ? paths : nil
        }
    }

    /// The collections but the default one, if that never held anything; else none.
    func collectionsBesideEmptyDefault() throws -> [CollectionPath] {
        let store = try open(forWriting: false)
        defer { try? store.close() }
        return try store.read { reader in
            let paths = try reader.collections()
            guard paths.contains(.default), try reader.lastSequence(in: .default) == 0 else {
                return []
            }
            return paths.filter { $0 != .default }
        }
    }

    /// Old revisions are packed as programs do by default, and read however they are packed.
    private static var archive: BodyArchive {
        BodyArchive(packing: .lz4, deflate: DeflateCodec(), lz4: LZ4Codec())
    }

    private func open(_ options: StoreOptions) throws -> Store {
        var options = options
        if options.sealing == nil, isSealed {
            options.sealing = try KeyRing.shared.key(of: self).sealing()
        }
        options.archive = Self.archive
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
    /// The document, unless its time is over: then it only waits for somebody to purge it.
    ///
    /// - Throws: `Failure` when there is none.
    func living(_ documentID: DocumentID, in collection: CollectionPath) throws -> StoredDocument {
        guard let document = try document(documentID, in: collection),
            try expiration(of: documentID, in: collection).map({ $0 > Moment.now() }) ?? true
        else { throw noDocument(documentID, in: collection) }
        return document
    }

    /// The failure of a verb that finds no such document; names a collection that has one of this ID.
    func noDocument(_ documentID: DocumentID, in collection: CollectionPath) -> Failure {
        let place = (try? collections())?.first { path in
            path != collection && (try? document(documentID, in: path)) != nil
        }
        return .noDocument(documentID.text, in: collection.wireName, butIn: place?.wireName)
    }
}

extension Failure {
    /// The document is not in the collection, but perhaps in another.
    static func noDocument(_ id: String, in collection: String, butIn place: String?) -> Failure {
        let option = collection == CollectionPath.default.wireName ? "" : " -c \(collection)"
        let hint =
            place.map { "there is one in \($0): -c \($0)" }
            ?? "divan ls\(option) lists what is there"
        return Failure(
            kind: .notFound,
            sentence: "no document \"\(id)\" in collection \(collection); \(hint)"
        )
    }

    /// The document is not in the collection.
    static func noDocument(_ id: DocumentID, in collection: CollectionPath) -> Failure {
        .noDocument(id.text, in: collection.wireName, butIn: nil)
    }
}

extension Arguments {
    /// The database that is the first operand.
    var database: DatabasePath { DatabasePath(operands.first ?? "") }

    /// The collection of `--collection`, the default one when it was not given.
    func collection() throws(Failure) -> CollectionPath {
        guard let text = value("--collection") else { return .default }
        return try CollectionPath.parsing(text)
    }

    /// The collections of `--collections`, empty when it was not given.
    func collections() throws(Failure) -> [CollectionPath] {
        var paths: [CollectionPath] = []
        for text in list("--collections") { paths.append(try CollectionPath.parsing(text)) }
        return paths
    }
}

extension CollectionPath {
    /// Reads `scope.name` or `name`.
    static func parsing(_ text: String) throws(Failure) -> CollectionPath {
        guard let path = CollectionPath(text) else {
            throw Failure(
                kind: .invalid,
                sentence: "\"\(text)\" is no collection name; write scope.name or name with "
                    + "letters, digits, _, - and %"
            )
        }
        return path
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
    static let json = flag("--json", "results as JSON for machines")
    static let dryRun = flag("--dry-run", "tell what would be done, and do nothing")
    /// Every verb that destroys takes it, also one that asks nothing.
    static let yes = flag("--yes", "do not ask")
}
