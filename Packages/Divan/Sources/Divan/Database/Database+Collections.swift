@_spi(Modern) @_spi(Stores) internal import CouchbaseLiteSwift
internal import DivanDatabase
internal import Foundation

extension Database {
    /// The collection that every database has, named `_default`.
    ///
    /// - Throws: ``DivanError/Code/notOpen``.
    public var documents: DocumentCollection {
        get throws {
            try DivanError.converting(place: place) {
                try DocumentCollection(official.defaultCollection(), in: self)
            }
        }
    }

    /// Returns a collection, and creates it if it does not exist.
    ///
    /// - Parameter name: `notes`, or with its scope `shop.notes`; each part has 1 to 251 characters of
    ///   `A–Z a–z 0–9 _ - %`, and does not start with `_` or `%`.
    /// - Returns: The collection.
    /// - Throws: ``DivanError/Code/invalidArgument`` for an invalid name; `readOnly`; `notOpen`.
    public func collection(_ name: String) throws -> DocumentCollection {
        try DivanError.converting(place: place) {
            let name = try Self.qualified(name)
            // Most calls find it, and reading does not wait for writers.
            let existing = try official.collection(name)
            return DocumentCollection(try existing ?? official.createCollection(name), in: self)
        }
    }

    /// Returns a collection, or `nil` if it does not exist.
    ///
    /// - Throws: ``DivanError/Code/invalidArgument`` for an invalid name; `notOpen`.
    public func existingCollection(_ name: String) throws -> DocumentCollection? {
        try DivanError.converting(place: place) {
            try official.collection(Self.qualified(name)).map { DocumentCollection($0, in: self) }
        }
    }

    /// All collections, in the order of their creation.
    ///
    /// - Throws: ``DivanError/Code/notOpen``.
    public var collections: [DocumentCollection] {
        get throws {
            try DivanError.converting(place: place) {
                try official.allCollections().map { DocumentCollection($0, in: self) }
            }
        }
    }

    /// Deletes a collection and its documents; does nothing if it does not exist.
    ///
    /// - Throws: ``DivanError/Code/invalidArgument`` for the collection `_default`; `readOnly`; `notOpen`.
    public func deleteCollection(_ name: String) throws {
        try DivanError.converting(place: place) {
            try official.deleteCollection(Self.qualified(name))
        }
    }

    private static func qualified(_ name: String) throws -> CollectionName {
        guard let qualified = CollectionName(name) else {
            throw DivanError(
                .invalidArgument,
                place: "collection \(name.debugDescription)",
                problem: "the name is invalid",
                remedy: "use 1 to 251 of A–Z a–z 0–9 _ - %, not starting with _ or %"
            )
        }
        return qualified
    }
}
