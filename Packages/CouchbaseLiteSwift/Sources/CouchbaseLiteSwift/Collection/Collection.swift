public import Dispatch
import DivanDatabase
import DivanLog
import DivanRevisions
import Foundation

/// A source of change events: a collection.
public protocol CollectionChangeObservable {
    /// Adds a listener that runs on `Database.defaultListenerQueue`.
    @preconcurrency
    @discardableResult
    func addChangeListener(
        listener: @escaping @Sendable (CollectionChange) -> Void
    ) -> ListenerToken

    /// Adds a listener that runs on `queue`.
    @preconcurrency
    @discardableResult
    func addChangeListener(
        queue: DispatchQueue?,
        listener: @escaping @Sendable (CollectionChange) -> Void
    ) -> ListenerToken
}

/// A set of documents with IDs, in a scope of a database.
///
/// Safe to use from any thread. After the collection is deleted or its database closed, every throwing call throws
/// `CBLError.notOpen`. A collection recreated with the same name is a different object.
///
/// Source: `api-map.md` §3; `behaviour.md` §2.
public final class Collection: CollectionChangeObservable, Equatable, Hashable, Sendable {
    /// The name of the default collection.
    public static let defaultCollectionName = Database.defaultCollectionName

    /// The scope that contains it.
    public let scope: Scope
    /// The database that contains it.
    public let database: Database

    let path: CollectionPath
    let life: CollectionLifetime

    init(path: CollectionPath, life: CollectionLifetime, database: Database) {
        self.path = path
        self.life = life
        self.database = database
        scope = Scope(name: path.scope, database: database)
    }

    /// The name within its scope.
    public var name: String { path.name }

    /// `scope.name`, always with both parts.
    public var fullName: String { path.description }

    /// Number of documents that are not deleted, including expired ones that are not purged yet.
    ///
    /// If it cannot be read, it is 0, and a warning is logged.
    public var count: UInt64 {
        let path = path
        return UInt64(orWarn("document count") { try read { try $0.count(in: path) } } ?? 0)
    }

    /// Returns a document, or `nil` if it does not exist or is deleted.
    ///
    /// - Throws: `CBLError.notOpen`; file system errors.
    public func document(id: String) throws -> Document? {
        guard let stored = try storedDocument(id), !stored.isTombstone else { return nil }
        return Document(stored: stored, collection: self)
    }

    /// The document with the ID `key`, as the start of a path; `exists` is false if reading fails.
    public subscript(key: String) -> DocumentFragment {
        DocumentFragment(orWarn("document \(key)") { try document(id: key) })
    }

    /// Whether both are the same collection of the same file, also through different `Database` objects.
    ///
    /// A collection that is deleted, or whose database is closed, equals only itself, as in the official SDK.
    public static func == (left: Collection, right: Collection) -> Bool {
        left === right || (left.isOfOneLife(with: right) && left.isValid && right.isValid)
    }

    /// Feeds the name into `hasher`.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(path)
    }
}

extension Collection {
    /// Whether this is the default collection.
    var isDefault: Bool { path == .default }

    /// Whether a document of one may be saved through the other: both are the same collection of
    /// the same `Database` object.
    func sharesDocuments(with other: Collection) -> Bool {
        database === other.database && isOfOneLife(with: other)
    }

    /// Whether both stand, or stood, for the same collection of one file.
    func isOfOneLife(with other: Collection) -> Bool { life === other.life }

    /// Whether the collection and its database are open.
    var isValid: Bool { (try? openStore()) != nil }

    /// The store of an open collection.
    ///
    /// - Throws: `CBLError.notOpen`.
    func openStore() throws -> Store {
        let store = try database.openStore()
        guard life.isAlive else { throw deletedError }
        return store
    }

    private var deletedError: NSError {
        NSError(
            CBLError.notOpen,
            "collection \(fullName) was deleted; create it again and use the new object"
        )
    }

    /// Refuses another collection that now has the name: it may have been recreated by the batch that was waited for,
    /// earlier in this batch, or by another process.
    private func requireSame(in reader: StoreReader) throws {
        guard let number = life.number, let present = try reader.collectionNumber(path),
            present != number
        else { return }
        throw deletedError
    }

    /// The current revision of a document, even if it is a tombstone.
    func storedDocument(_ id: String) throws -> StoredDocument? {
        let (path, name) = (path, StoredID(unchecked: id))
        return try read { reader in
            try reader.document(name, in: path, includingTombstones: true)
        }
    }

    /// The result of `read`, for a member that cannot throw; on error `nil`, with a warning that names `what`.
    func orWarn<Output>(_ what: String, _ read: () throws -> Output?) -> Output? {
        do {
            return try read()
        } catch {
            Journal.database.warning("Collection \(fullName), \(what): \(error)")
            return nil
        }
    }

    func read<Output>(_ body: (StoreReader) throws -> Output) throws -> Output {
        let store = try openStore()
        return try translatingErrors {
            try store.read { reader in
                try requireSame(in: reader)
                return try body(reader)
            }
        }
    }

    func write<Output>(_ body: (StoreWriter) throws -> Output) throws -> Output {
        let store = try openStore()
        return try translatingErrors {
            try store.write { writer in
                try requireSame(in: writer)
                return try body(writer)
            }
        }
    }
}

extension Sequence<Collection> {
    /// - Throws: `CBLError.notOpen` when one of them was deleted, or its database closed.
    func requireOpen() throws {
        for collection in self { _ = try collection.openStore() }
    }
}
