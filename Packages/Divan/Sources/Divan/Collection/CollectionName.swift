import DivanStore

/// The name of a collection and of its scope, as people and files of settings write it: `hotels`, or
/// `travel.hotels`.
///
/// ```swift
/// guard let name = CollectionName(settings["collection"] ?? "") else { return }
/// let hotels = try database.createCollection(name)
/// ```
///
/// An addition to the official API.
public struct CollectionName: Hashable, Sendable, LosslessStringConvertible {
    /// That of the collection that every database begins with: `_default`, in scope `_default`.
    public static let `default` = CollectionName(.default)

    let path: CollectionPath

    init(_ path: CollectionPath) {
        self.path = path
    }

    /// Reads `scope.name`, or `name` alone for a collection of the default scope.
    ///
    /// `nil` for what breaks the rules of ``Database/createCollection(name:scope:)``.
    public init?(_ description: String) {
        guard let path = CollectionPath(description) else { return nil }
        self.init(path)
    }

    /// Creates a name of its two parts; `nil` for what breaks the rules of
    /// ``Database/createCollection(name:scope:)``.
    public init?(scope: String = Database.defaultScopeName, name: String) {
        guard let path = CollectionPath(scope: scope, name: name) else { return nil }
        self.init(path)
    }

    /// The scope; `_default` unless named.
    public var scope: String { path.scope }

    /// The name inside the scope.
    public var name: String { path.name }

    /// `name`, with the scope and a point before it unless that is the default one.
    public var description: String { path.wireName }
}

extension Collection {
    /// The name with that of the scope, as one value.
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

    /// Returns a collection, or `nil` when there is none.
    ///
    /// An addition to the official API.
    ///
    /// - Throws: `CBLError.notOpen`.
    public func collection(_ name: CollectionName) throws -> Collection? {
        try collection(name: name.name, scope: name.scope)
    }

    /// Creates a collection, or returns it when it exists.
    ///
    /// An addition to the official API.
    ///
    /// - Throws: `CBLError.notOpen`.
    public func createCollection(_ name: CollectionName) throws -> Collection {
        try createCollection(name: name.name, scope: name.scope)
    }

    /// Deletes a collection with its documents; does nothing when there is none.
    ///
    /// An addition to the official API.
    ///
    /// - Throws: `CBLError.invalidParameter` for the default collection, `notOpen`.
    public func deleteCollection(_ name: CollectionName) throws {
        try deleteCollection(name: name.name, scope: name.scope)
    }
}
