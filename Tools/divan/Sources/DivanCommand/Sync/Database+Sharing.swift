import Divan
import DivanCommandLine
import DivanStore
import Foundation

extension DatabasePath {
    /// Opens the database, which must exist, through the public API.
    func openDatabase() throws -> Database {
        try requireDatabase()
        return try Database(name: name, config: configuration())
    }

    /// Makes the database anew, readable or not.
    func rebuildDatabase(
        from configure: (Database) throws -> ReplicatorConfiguration
    ) throws -> DatabaseRebuild {
        try Database.rebuild(withName: name, withConfig: configuration(), from: configure)
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
