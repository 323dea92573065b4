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
    /// Returns the collections of the given names; all of the database when none is given.
    ///
    /// With `creating` missing ones are made; otherwise they are an error.
    func collections(
        named paths: [CollectionPath],
        creating: Bool
    ) throws -> [Divan.Collection] {
        guard !paths.isEmpty else {
            return try scopes().flatMap { try collections(scope: $0.name) }
        }
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
