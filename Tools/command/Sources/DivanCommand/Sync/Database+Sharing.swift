import CouchbaseLiteSwift
import DivanCommandLine
import DivanDatabase
import Foundation

extension DatabasePath {
    /// Opens the database, which must exist, through the public API.
    ///
    /// With `fullSync` each commit is on the disk before it is confirmed.
    func openDatabase(
        fullSync: Bool = false,
        publishesStatus: Bool = false
    ) throws -> Database {
        try requireDatabase()
        var configuration = try configuration()
        configuration.fullSync = fullSync
        configuration.publishesStatus = publishesStatus
        return try namingHolder { try Database(name: name, config: configuration) }
    }

    /// What is done with a database.
    enum Purpose {
        case reading, changing
    }

    /// Uses the database, which must exist, through the public API.
    ///
    /// The store's errors are thrown unchanged, so that all commands explain them in the same way.
    func using<Result>(
        _ purpose: Purpose,
        naming scheme: RevisionScheme? = nil,
        _ work: (Database) throws -> Result
    ) throws -> Result {
        try requireDatabase()
        var configuration = try configuration()
        configuration.readOnly = purpose == .reading
        configuration.revisionScheme = scheme
        return try Self.causes {
            let database = try Database(name: name, config: configuration)
            defer { try? database.close() }
            return try work(database)
        }
    }

    /// Creates the database, with a key or without, and with collections of the given names.
    func makeDatabase(key: EncryptionKey?, collections names: [CollectionName]) throws {
        var configuration = DatabaseConfiguration()
        configuration.directory = parent
        configuration.encryptionKey = key
        try Self.causes {
            let database = try Database(name: name, config: configuration)
            defer { try? database.close() }
            for name in names { _ = try database.createCollection(name) }
        }
    }

    /// Copies the database; within this process, the copy is opened with the same key.
    func copy(to target: DatabasePath) throws {
        var configuration = try configuration()
        configuration.directory = target.parent
        try Self.causes {
            try Database.copy(
                fromPath: bundle,
                toDatabase: target.name,
                withConfig: configuration
            )
        }
        if let key = configuration.encryptionKey { KeyRing.shared.note(key, of: target) }
    }

    /// For an error of the public API, throws the first underlying one that a command can explain better.
    private static func causes<Result>(of work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch {
            var next: (any Error)? = error
            while let known = next {
                if known is StoreError || known is Failure { throw known }
                next = ((known as Any) as? NSError)?.userInfo[NSUnderlyingErrorKey] as? any Error
            }
            throw error
        }
    }

    /// The names of all collections.
    func collectionNames() throws -> [CollectionName] {
        try using(.reading) { try $0.allCollections().map(\.qualifiedName) }
    }

    /// The names of all collections, if nothing was ever saved in any of them; else `nil`.
    func collectionsIfNeverFilled() throws -> [CollectionName]? {
        try using(.reading) { database in
            let collections = try database.allCollections()
            let isNew = try collections.allSatisfy { try $0.lastSequence == 0 }
            return isNew ? collections.map(\.qualifiedName) : nil
        }
    }

    /// The collections except the default one, if that never contained anything; else none.
    func collectionsBesideEmptyDefault() throws -> [CollectionName] {
        try using(.reading) { database in
            guard try database.defaultCollection().lastSequence == 0 else { return [] }
            return try database.allCollections().map(\.qualifiedName).filter { $0 != .default }
        }
    }

    /// Recreates the database, whether it is readable or not.
    func rebuildDatabase(
        from configure: (Database) throws -> ReplicatorConfiguration
    ) throws -> DatabaseRebuild {
        let configuration = try configuration()
        return try namingHolder {
            try Database.rebuild(withName: name, withConfig: configuration, from: configure)
        }
    }

    /// Does work that needs exclusive use of a database; if another process has it, the error names that
    /// process, and a key that does not fit is reported as such.
    private func namingHolder<Result>(_ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch {
            // A pattern `as NSError` crashes the program for one of Swift's own errors.
            guard let known = (error as Any) as? NSError, known.domain == CBLError.domain else {
                throw error
            }
            let found =
                switch known.code {
                case CBLError.busy: Failure.inUse(bundle)
                case CBLError.unreadableDatabase where isSealed: Failure.otherKey(self)
                default: Failure?.none
                }
            guard var failure = found else { throw error }
            failure.code = known.code
            throw failure
        }
    }

    private func configuration() throws -> DatabaseConfiguration {
        var configuration = DatabaseConfiguration()
        configuration.directory = parent
        if isSealed { configuration.encryptionKey = try KeyRing.shared.key(of: self) }
        return configuration
    }
}

extension Database {
    /// Documents of all collections; tombstones do not count.
    func documentCount() throws -> Int {
        try allCollections().reduce(0) { $0 + Int($1.count) }
    }

    /// The collection with a name.
    ///
    /// - Throws: `StoreError` if it does not exist.
    func existing(_ name: CollectionName) throws -> CouchbaseLiteSwift.Collection {
        if let found = try collection(name) { return found }
        let place = path.map { String($0.dropLast()) } ?? ""
        throw StoreError(.noSuchCollection(CollectionPath(name)), at: place)
    }

    /// Returns the collections with the given names; all of the database if none is given.
    ///
    /// - Throws: `StoreError` if one is missing.
    func collections(named names: [CollectionName]) throws -> [CouchbaseLiteSwift.Collection] {
        guard !names.isEmpty else {
            let all = try allCollections()
            guard all.isEmpty else { return all }
            throw NSError(
                domain: CBLError.domain,
                code: CBLError.corruptData,
                userInfo: [
                    NSLocalizedDescriptionKey: "\(name) has no collections, not even _default; "
                        + "run 'divan check' to inspect it"
                ]
            )
        }
        return try names.map { try existing($0) }
    }
}

extension CouchbaseLiteSwift.Collection {
    /// The document, unless it has expired and is waiting to be purged.
    ///
    /// - Throws: `Failure` if it does not exist.
    func living(_ id: String) throws -> Document {
        guard let document = try document(id: id), try !isOver(id) else { throw noDocument(id) }
        return document
    }

    private func isOver(_ id: String) throws -> Bool {
        try getDocumentExpiration(id: id).map { $0 <= Date() } ?? false
    }

    /// The document, whether it has expired or not.
    ///
    /// - Throws: `Failure` if it does not exist.
    func existing(_ id: String) throws -> Document {
        guard let document = try document(id: id) else { throw noDocument(id) }
        return document
    }

    /// The failure of a command that finds no such document; names a collection that has one with this ID.
    func noDocument(_ id: String) -> Failure {
        if let path = database.path, DatabasePath(path).hasDeleted(id, in: qualifiedName) {
            return .noDocument(id, in: "\(qualifiedName)", wasDeleted: true)
        }
        let place = (try? database.allCollections())?.first { other in
            other != self && (try? other.document(id: id)) != nil
                && (try? other.isOver(id)) == false
        }
        return .noDocument(id, in: "\(qualifiedName)", butIn: place.map { "\($0.qualifiedName)" })
    }
}
