import DivanDatabase

/// The name of a collection with its scope, as in configuration files: `hotels` or `travel.hotels`.
///
/// ```swift
/// guard let name = CollectionName(settings["collection"] ?? "") else { return }
/// let hotels = try database.createCollection(name)
/// ```
///
/// An addition to the official API.
public struct CollectionName: Hashable, Sendable, LosslessStringConvertible {
    /// The name of the collection that every database starts with: `_default`, in scope `_default`.
    public static let `default` = CollectionName(.default)

    let path: CollectionPath

    init(_ path: CollectionPath) {
        self.path = path
    }

    /// Reads `scope.name`, or `name` alone for a collection of the default scope.
    ///
    /// `nil` for a name that violates the rules of ``Database/createCollection(name:scope:)``.
    public init?(_ description: String) {
        guard let path = CollectionPath(description) else { return nil }
        self.init(path)
    }

    /// Creates a name from its two parts; `nil` for a name that violates the rules of
    /// ``Database/createCollection(name:scope:)``.
    public init?(scope: String = Database.defaultScopeName, name: String) {
        guard let path = CollectionPath(scope: scope, name: name) else { return nil }
        self.init(path)
    }

    /// The scope; `_default` if omitted.
    public var scope: String { path.scope }

    /// The name within the scope.
    public var name: String { path.name }

    /// `name`, preceded by the scope and a dot unless the scope is the default one.
    public var description: String { path.wireName }
}

extension Collection {
    /// The collection's name and its scope's, as one value.
    ///
    /// An addition to the official API.
    public var qualifiedName: CollectionName { CollectionName(path) }
}

extension Database {
    /// Returns every collection of every scope.
    ///
    /// An addition to the official API.
    ///
    /// - Throws: `CBLError.notOpen`.
    public func allCollections() throws -> [Collection] {
        let store = try openStore()
        return try translatingErrors { try store.read { try collectionObjects(in: $0) } }
    }

    /// Returns a collection, or `nil` if it does not exist.
    ///
    /// An addition to the official API.
    ///
    /// - Throws: `CBLError.notOpen`.
    public func collection(_ name: CollectionName) throws -> Collection? {
        try collection(name: name.name, scope: name.scope)
    }

    /// Creates a collection, or returns it if it already exists.
    ///
    /// An addition to the official API.
    ///
    /// - Throws: `CBLError.notOpen`.
    public func createCollection(_ name: CollectionName) throws -> Collection {
        try createCollection(name: name.name, scope: name.scope)
    }

    /// Deletes a collection and its documents; does nothing if it does not exist.
    ///
    /// An addition to the official API.
    ///
    /// - Throws: `CBLError.invalidParameter` for the default collection, `notOpen`.
    public func deleteCollection(_ name: CollectionName) throws {
        try deleteCollection(name: name.name, scope: name.scope)
    }
}
