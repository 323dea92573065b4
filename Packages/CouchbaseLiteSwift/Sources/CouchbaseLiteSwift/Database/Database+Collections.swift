import DivanDatabase
import DivanJSON
import Foundation

extension Database {
    /// Returns the default scope, which always exists.
    ///
    /// - Throws: `CBLError.notOpen`.
    public func defaultScope() throws -> Scope {
        _ = try openStore()
        return Scope(name: Self.defaultScopeName, database: self)
    }

    /// Returns the default scope and all scopes that have a collection.
    ///
    /// - Throws: `CBLError.notOpen`.
    public func scopes() throws -> [Scope] {
        var seen: Set<ExactText> = []
        let names = try [Self.defaultScopeName] + paths().map(\.scope)
        return names.filter { seen.insert(ExactText($0)).inserted }.map {
            Scope(name: $0, database: self)
        }
    }

    /// Returns a scope, or `nil` if it has no collection.
    ///
    /// - Throws: `CBLError.notOpen`.
    public func scope(name: String) throws -> Scope? {
        let paths = try paths()
        let isThere = name == Self.defaultScopeName || paths.contains { $0.scope == name }
        return isThere ? Scope(name: name, database: self) : nil
    }

    /// Returns the default collection.
    ///
    /// - Throws: `CBLError.notOpen`.
    public func defaultCollection() throws -> Collection {
        _ = try openStore()
        return defaultCollectionObject
    }

    /// Returns the collections of a scope; `nil` means the default scope.
    ///
    /// - Throws: `CBLError.notOpen`.
    public func collections(scope: String? = defaultScopeName) throws -> [Collection] {
        let scope = scope ?? Self.defaultScopeName
        return try allCollections().filter { $0.path.scope == scope }
    }

    /// Creates a collection, or returns it if it already exists.
    ///
    /// Names have 1 to 251 characters of `A–Z a–z 0–9 _ - %` and do not start with `_` or `%`. A scope that does not
    /// exist is created; `nil` means the default scope.
    ///
    /// - Throws: `CBLError.invalidParameter` for an invalid name, `notOpen`.
    public func createCollection(
        name: String,
        scope: String? = defaultScopeName
    ) throws -> Collection {
        _ = try openStore()
        let path = try path(name: name, scope: scope)
        let life = try translatingErrors { try file.createCollection(path) }
        return Collection(path: path, life: life, database: self)
    }

    /// Returns a collection, or `nil` if it does not exist.
    ///
    /// - Throws: `CBLError.invalidParameter` for an invalid name, `notOpen`.
    public func collection(
        name: String,
        scope: String? = defaultScopeName
    ) throws -> Collection? {
        _ = try openStore()
        let path = try path(name: name, scope: scope)
        guard let life = try translatingErrors({ try file.life(of: path) }) else { return nil }
        return Collection(path: path, life: life, database: self)
    }

    /// Deletes a collection and its documents; does nothing if it does not exist.
    ///
    /// - Throws: `CBLError.invalidParameter` for the default collection and for an invalid name, `notOpen`.
    public func deleteCollection(name: String, scope: String? = defaultScopeName) throws {
        _ = try openStore()
        let path = try path(name: name, scope: scope)
        guard path != .default else {
            throw NSError(
                CBLError.invalidParameter,
                "the default collection cannot be deleted; purge its documents instead"
            )
        }
        try translatingErrors { try file.deleteCollection(path) }
    }

    private func paths() throws -> [CollectionPath] {
        let store = try openStore()
        return try translatingErrors { try store.collections() }
    }

    private func path(name: String, scope: String?) throws -> CollectionPath {
        let scope = scope ?? Self.defaultScopeName
        guard let path = CollectionPath(scope: scope, name: name) else {
            throw NSError(
                CBLError.invalidParameter,
                "invalid collection name \"\(scope).\(name)\"; use 1 to 251 of A–Z a–z 0–9 _ - %, "
                    + "not starting with _ or %"
            )
        }
        return path
    }
}
