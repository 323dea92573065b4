import Divan
import DivanCommandLine
import DivanStore
import Foundation

extension DatabasePath {
    /// Opens the database, which must exist, through the public API.
    func openDatabase() throws -> Database {
        try requireDatabase()
        let configuration = try configuration()
        return try namingHolder { try Database(name: name, config: configuration) }
    }

    /// What is done with a database.
    enum Purpose {
        case reading, changing
    }

    /// Does something with the database, which must exist, through the public API.
    ///
    /// What the store says of it is thrown as the store said it, so that all verbs explain it alike.
    func using<Result>(_ purpose: Purpose, _ work: (Database) throws -> Result) throws -> Result {
        try requireDatabase()
        var configuration = try configuration()
        configuration.readOnly = purpose == .reading
        do {
            let database = try Database(name: name, config: configuration)
            defer { try? database.close() }
            return try work(database)
        } catch {
            throw Self.cause(of: error)
        }
    }

    /// The first error below one of the public API that a verb can explain better.
    private static func cause(of error: any Error) -> any Error {
        var next: (any Error)? = error
        while let known = next {
            if known is StoreError || known is Failure { return known }
            next = ((known as Any) as? NSError)?.userInfo[NSUnderlyingErrorKey] as? any Error
        }
        return error
    }

    /// Makes the database anew, readable or not.
    func rebuildDatabase(
        from configure: (Database) throws -> ReplicatorConfiguration
    ) throws -> DatabaseRebuild {
        let configuration = try configuration()
        return try namingHolder {
            try Database.rebuild(withName: name, withConfig: configuration, from: configure)
        }
    }

    /// Does what needs a database for itself; when another process has it, that one is named.
    private func namingHolder<Result>(_ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch {
            // A pattern `as NSError` stops the program for an error of Swift's own.
            guard let known = (error as Any) as? NSError, known.domain == CBLError.domain,
                known.code == CBLError.busy, let sentence = Failure.inUse(bundle)
            else { throw error }
            throw Failure(kind: .database, sentence: sentence, code: known.code)
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
    /// The collection of a name.
    ///
    /// - Throws: `StoreError` when there is none.
    func collection(at path: CollectionPath) throws -> Divan.Collection {
        if let found = try collection(name: path.name, scope: path.scope) { return found }
        let place = self.path.map { String($0.dropLast()) } ?? ""
        throw StoreError(.noSuchCollection(path), at: place)
    }

    /// Every collection of every scope.
    func allCollections() throws -> [Divan.Collection] {
        try scopes().flatMap { try collections(scope: $0.name) }
    }

    /// Returns the collections of the given names; all of the database when none is given.
    ///
    /// With `creating` missing ones are made; otherwise they are an error.
    func collections(
        named paths: [CollectionPath],
        creating: Bool
    ) throws -> [Divan.Collection] {
        guard !paths.isEmpty else { return try allCollections() }
        return try paths.map { path in
            if let found = try collection(name: path.name, scope: path.scope) { return found }
            if creating { return try createCollection(name: path.name, scope: path.scope) }
            throw Failure(
                kind: .notFound,
                sentence: "\(name) has no collection \(path.wireName); divan info \(name) "
                    + "lists its collections"
            )
        }
    }
}

extension Divan.Collection {
    /// The document, unless its time is over: then it only waits for somebody to purge it.
    ///
    /// - Throws: `Failure` when there is none.
    func living(_ id: String) throws -> Document {
        guard let document = try document(id: id),
            try getDocumentExpiration(id: id).map({ $0 > Date() }) ?? true
        else { throw noDocument(id) }
        return document
    }

    /// The document, whether its time is over or not.
    ///
    /// - Throws: `Failure` when there is none.
    func existing(_ id: String) throws -> Document {
        guard let document = try document(id: id) else { throw noDocument(id) }
        return document
    }

    /// The failure of a verb that finds no such document; names a collection that has one of this ID.
    func noDocument(_ id: String) -> Failure {
        let place = (try? database.allCollections())?.first { other in
            other != self && (try? other.document(id: id)) != nil
        }
        return .noDocument(id, in: wireName, butIn: place?.wireName)
    }

    /// The name as the command line takes it.
    var wireName: String { CollectionPath(fullName)?.wireName ?? fullName }
}
