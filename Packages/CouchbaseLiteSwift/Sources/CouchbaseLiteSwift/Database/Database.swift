import Dispatch
public import DivanDatabase
import DivanLog
import DivanTransport
import Foundation
import Synchronization

/// A database: a directory with collections of JSON documents and their blobs.
///
/// Safe to use from any thread. Several `Database` objects in a process can open the same file. Each has its own
/// collection and document objects, and changes through one are reported to the listeners of the others. A second
/// process cannot open the database for writing at the same time: it gets `CBLError.busy`.
///
/// Source: `api-map.md` §2; `behaviour.md` §2, §15.
public final class Database: Sendable {
    /// The name of the default scope.
    public static let defaultScopeName = CollectionPath.default.scope
    /// The name of the default collection.
    public static let defaultCollectionName = CollectionPath.default.name

    /// All databases of this process, for the metrics.
    static let living = WeakList<Database>()

    /// The name it was opened with.
    public let name: String
    /// The configuration it was opened with.
    public let config: DatabaseConfiguration

    /// What is shared among all `Database` objects of one file.
    let file: DatabaseFile
    /// The listeners of this object.
    let changes = DatabaseChanges()
    /// Where it lives; `nil` in memory.
    private let location: DatabaseLocation?
    /// Shapes for code that reads documents as plain collections.
    let shapes = ShapeCache()
    /// Tells other processes what is running; `nil` unless requested.
    private let publisher: StatusPublisher?
    private let state = Mutex(State())

    private struct State {
        var phase = Phase.open
        var services: [ObjectIdentifier: (service: any DatabaseService, runCount: Int)] = [:]
    }

    private enum Phase {
        case open
        case closing
        case closed
    }

    /// Opens a database, creating it if it does not exist.
    ///
    /// - Throws: `CBLError.invalidParameter` for an empty name, or an invalid key or codec, `unreadableDatabase` for a
    ///   file that is not a database or has another key or engine, `cantOpenFile` if a custom engine fails,
    ///   `databaseTooNew`, `busy` if another process has it open for writing, and file system errors.
    public init(name: String, config: DatabaseConfiguration = DatabaseConfiguration()) throws {
        let timer = LogTimer()
        let location = try DatabaseLocation(name: name, directory: config.directory)
        self.location = location
        self.name = name
        self.config = config
        let file = try DatabaseFile.open(location, config)
        self.file = file
        publisher =
            config.publishesStatus
            ? StatusPublisher(bundle: location.bundlePath) { !file.store.isSealed } : nil
        begin()
        Journal.database.info(
            "Database \(name) opened in \(timer.text): \(location.path)"
                + ", \(store.scheme)" + (store.isSealed ? ", encrypted" : "")
                + (store.isReadOnly ? ", read-only" : "")
        )
    }

    /// Creates an empty database in memory; see ``inMemory(name:config:)``.
    init(inMemory name: String, _ config: DatabaseConfiguration) throws {
        location = nil
        publisher = nil
        self.name = name
        self.config = config
        file = try DatabaseFile.inMemory(config)
        begin()
    }

    private func begin() {
        file.add(changes)
        changes.observe(file.store, for: self)
        LogConfiguration.shared.install()
        Self.living.add(self)
    }

    deinit {
        guard state.withLock({ $0.phase }) != .closed else { return }
        changes.end()
        try? file.close()
    }

    /// The database's directory, ending with `/`; `nil` after it is closed or deleted, and for an in-memory database.
    public var path: String? {
        state.withLock { $0.phase } == .closed ? nil : location?.path
    }

    /// The revision scheme of the database.
    ///
    /// An addition to the official API.
    public var revisionScheme: RevisionScheme { RevisionScheme(store.scheme) }

    /// Runs `block` in a transaction: either all of its changes are stored, or none.
    ///
    /// Other writers in this process wait until the block ends. Batches can be nested. Other threads do not see the
    /// changes before the end. On the same thread, other `Database` objects of the file take part in the batch.
    /// Listeners are notified once, after the outermost batch commits. If a batch is rolled back, document objects and
    /// models that were saved in it return to their previous state.
    ///
    /// - Throws: `CBLError.unexpectedError` if `block` throws, with the description of the original error, which is
    ///   under `NSUnderlyingErrorKey`.
    public func inBatch(using block: () throws -> Void) throws {
        _ = try openStore()
        var failure: (any Error)?
        do {
            try file.inBatch {
                do {
                    try block()
                } catch {
                    failure = error
                    throw error
                }
            }
        } catch {
            // An error thrown by an inner batch ends this one too, even if the block caught it.
            guard let failure = failure ?? (error is StoreError ? nil : error) else {
                throw NSError(from: error)
            }
            throw rolledBackError(failure)
        }
    }

    private func rolledBackError(_ cause: any Error) -> NSError {
        let text = NSError(from: cause).localizedDescription
        return NSError(
            wrapping: cause,
            reason: "Batch in database \(name) was rolled back: \(text)"
        )
    }

    /// Stops the replicators and listeners that use the database, waits for them, and closes it.
    ///
    /// A second call does nothing, even while another thread is closing. Documents that were read before stay readable,
    /// but their blobs do not.
    ///
    /// In a filter, resolver, authenticator or access hook, and on any other thread of the library, it returns
    /// immediately and the database closes on another thread, to prevent a deadlock. In a change listener, it waits as
    /// usual.
    ///
    /// - Throws: `CBLError.transactionNotClosed` inside ``inBatch(using:)``; also inside another database's batch, if
    ///   it would have to wait for a replicator or listener.
    public func close() throws {
        _ = try end { [file] in try file.close() }
    }

    /// Closes the database and deletes its directory.
    ///
    /// - Throws: `CBLError.notOpen` if it is already closed (use ``delete(withName:inDirectory:)``); `busy` while
    ///   another `Database` object has it open or another thread is closing it; errors thrown by `close()`; file system
    ///   errors, after which the database is closed.
    public func delete() throws {
        let ownerCount = try openStore().fileOwnerCount
        guard ownerCount <= 1 else {
            throw NSError(
                CBLError.busy,
                "database \(name) is open in \(ownerCount) Database objects; close the others"
            )
        }
        let failure = Mutex<(any Error)?>(nil)
        let isEnded = try end { [file] in
            try file.close()
            // The database is closed now, whatever happens to the files.
            do { try file.deleteFiles() } catch { failure.withLock { $0 = error } }
        }
        if let failure = failure.withLock({ $0 }) { throw NSError(from: failure) }
        guard isEnded else {
            throw NSError(
                CBLError.busy,
                "database \(name) is being closed by another thread; call "
                    + "Database.delete(withName:) later"
            )
        }
    }
}

extension Database {
    /// The store, whether or not this object is closed; another one may still have it open.
    var store: Store { file.store }

    /// The store of an open database, for packages that do more with it than the public API.
    ///
    /// - Throws: `CBLError.notOpen`.
    @_spi(Stores) public func openStore() throws -> Store {
        guard state.withLock({ $0.phase }) != .closed else { throw notOpenError }
        return file.store
    }

    /// Whether it is open.
    var isOpen: Bool { state.withLock { $0.phase } != .closed }

    /// The error that every call on a closed database throws.
    var notOpenError: NSError {
        NSError(CBLError.notOpen, "database \(name) is closed; open it again")
    }

    /// - Throws: `CBLError.transactionNotClosed` inside ``inBatch(using:)``.
    func requireNoBatch(_ verb: String) throws {
        guard store.isWriting else { return }
        throw NSError(
            CBLError.transactionNotClosed,
            "database \(name): cannot \(verb) inside inBatch; call this after the batch"
        )
    }

    /// Keeps `service` alive, and stops it before the database closes.
    ///
    /// Each call must be matched by one to `unregister`: a service may start again before it has ended.
    ///
    /// - Throws: `CBLError.notOpen` when the database is closed or closing.
    func register(_ service: any DatabaseService) throws {
        let isOpen = state.withLock { state in
            guard state.phase == .open else { return false }
            let name = ObjectIdentifier(service)
            let runCount = state.services[name]?.runCount ?? 0
            state.services[name] = (service, runCount + 1)
            if runCount == 0 { publisher?.begin(service) }
            return true
        }
        guard isOpen else { throw notOpenError }
    }

    /// The only service of its kind, kept from the first call until the database closes.
    ///
    /// - Throws: `CBLError.notOpen` when the database is closed or closing.
    func service<Service: DatabaseService>(orElse make: () -> Service) throws -> Service {
        let service = state.withLock { state -> Service? in
            let known = state.services.values.lazy.compactMap { $0.service as? Service }.first
            guard known == nil, state.phase == .open else { return known }
            let made = make()
            state.services[ObjectIdentifier(made)] = (made, 1)
            return made
        }
        guard let service else { throw notOpenError }
        return service
    }

    /// Notes that one run of a service has ended, and forgets the service after its last; ignores an unknown one.
    func unregister(_ service: any DatabaseService) {
        state.withLock { state in
            let name = ObjectIdentifier(service)
            guard let runCount = state.services[name]?.runCount else { return }
            // The caller holds it, so its last reference is not released under the lock.
            state.services[name] = runCount > 1 ? (service, runCount - 1) : nil
            if runCount == 1 { publisher?.end(service) }
        }
    }

    /// An object for the default collection, which always exists.
    var defaultCollectionObject: Collection {
        Collection(path: .default, life: file.defaultLife, database: self)
    }

    /// Objects for all collections visible to a reader.
    func collectionObjects(in reader: StoreReader) throws -> [Collection] {
        try file.lives(in: reader).map { Collection(path: $0.path, life: $0.life, database: self) }
    }

    /// Closes databases on behalf of threads that must not wait.
    static let closings = DispatchQueue(label: "divan.close", attributes: .concurrent)

    /// Stops everything and releases the file; `false` when that is done or under way.
    private func end(_ finish: @escaping @Sendable () throws -> Void) throws -> Bool {
        try requireNoBatch("close")
        try requireNoBatchElsewhere()
        let begun: [any DatabaseService]? = state.withLock { state in
            guard state.phase == .open else { return nil }
            state.phase = .closing
            return state.services.values.map(\.service)
        }
        guard let services = begun else { return false }
        guard mustNotWaitHere else {
            try end(services, finish)
            return true
        }
        Self.closings.async { [self] in
            do {
                try end(services, finish)
            } catch {
                Journal.database.warning("Database \(name) could not be closed: \(error)")
            }
        }
        return true
    }

    /// A service to wait for may share its thread with something that waits for the batch.
    private func requireNoBatchElsewhere() throws {
        guard BatchBlock.isRunning else { return }
        let mustWait = state.withLock { state in
            state.phase == .open
                && state.services.values.contains { !$0.service.endsBesideBatches }
        }
        guard mustWait else { return }
        throw NSError(
            CBLError.transactionNotClosed,
            "database \(name) cannot stop its replicators and listeners inside inBatch of another database; "
                + "call this after the batch"
        )
    }

    /// Whether services can only end if this thread does not wait.
    ///
    /// It is a thread of the library: a filter, resolver or authenticator closes the database, or an object that is
    /// being released here.
    private var mustNotWaitHere: Bool {
        ServiceCallback.isRunning || EventLoopGroup.shared.loops.contains(where: \.isCurrent)
            || WorkQueue.isCurrent || publisher?.isCurrent ?? false
    }

    private func end(_ services: [any DatabaseService], _ finish: () throws -> Void) throws {
        // Stop all of them first: one with a silent peer takes seconds, which would otherwise add up.
        for service in services { service.beginStop() }
        for service in services { service.waitForStop() }
        publisher?.finish()
        do {
            try finish()
        } catch {
            state.withLock { $0.phase = .open }
            throw NSError(from: error)
        }
        state.withLock { state in
            state.phase = .closed
            state.services = [:]
        }
        // Only now: whoever adds a listener checks afterwards whether the database can still end it.
        changes.end()
        Journal.database.info("Database \(name) closed")
    }
}
