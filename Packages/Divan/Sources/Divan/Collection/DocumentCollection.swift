@_spi(Modern) @_spi(Stores) internal import CouchbaseLiteSwift
internal import DivanDatabase

/// A set of documents with IDs, in a scope of a database.
///
/// ```swift
/// let notes = try db.collection("notes")
/// try notes.save(Note(id: "1", title: "Milk"))
/// let note = try notes.get("1", as: Note.self)
/// ```
///
/// Safe to use from any thread and task. After the collection is deleted or its database closed, every call throws
/// ``DivanError/Code/notOpen``.
public struct DocumentCollection: Sendable {
    /// The database that contains it.
    public let database: Database
    /// The collection of the compatible API below.
    let official: OfficialCollection
    let path: CollectionPath

    init(_ official: OfficialCollection, in database: Database) {
        self.official = official
        self.database = database
        path = official.storePath
    }

    /// The name within its scope.
    public var name: String { path.name }
    /// The name of its scope; `_default` unless it was created in another one.
    public var scope: String { path.scope }

    /// Returns the number of documents that are not deleted.
    ///
    /// - Throws: ``DivanError/Code/notOpen``.
    public func count() throws -> Int {
        try DivanError.converting(place: place) {
            try official.readStore { try $0.count(in: path) }
        }
    }

    /// The place in messages.
    var place: String { "collection \(path.wireName)" }

    /// The place of a document in messages.
    func place(of id: String) -> String { "\(place), document \(id)" }
}

extension DocumentCollection: Hashable, CustomStringConvertible {
    /// Whether both are the same collection of the same database.
    public static func == (left: DocumentCollection, right: DocumentCollection) -> Bool {
        left.official == right.official
    }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(path) }

    /// The name, with its scope unless that is `_default`.
    public var description: String { path.wireName }
}
