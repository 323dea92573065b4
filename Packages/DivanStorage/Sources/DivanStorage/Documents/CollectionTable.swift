/// What is known of collections, by path and in order of arrival.
///
/// There are usually a handful, for which a list is the fastest index; a database may have thousands.
/// Inlinable, because it is used for each document that is read.
public struct CollectionTable<Value> {
    @usableFromInline var stored: [(path: CollectionPath, value: Value)]
    // Empty while there are few collections.
    @usableFromInline var places: [CollectionPath: Int]

    @usableFromInline static var listedCount: Int { 8 }

    /// Creates an empty table.
    @inlinable
    public init() {
        stored = []
        places = [:]
    }

    /// All collections with what is known of them, in order of arrival.
    @inlinable
    public var entries: [(path: CollectionPath, value: Value)] { stored }

    /// What is known of a collection, or `nil`.
    @inlinable
    public subscript(path: CollectionPath) -> Value? {
        guard places.isEmpty else { return places[path].map { stored[$0].value } }
        return stored.first { $0.path == path }?.value
    }

    /// Adds a collection that is not present yet.
    @inlinable
    public mutating func append(_ value: Value, under path: CollectionPath) {
        stored.append((path, value))
        if !places.isEmpty {
            places[path] = stored.count - 1
        } else if stored.count > Self.listedCount {
            index()
        }
    }

    /// Forgets a collection.
    public mutating func remove(_ path: CollectionPath) {
        stored.removeAll { $0.path == path }
        index()
    }

    /// Forgets all collections, but keeps the capacity for a few.
    @inlinable
    public mutating func removeAll() {
        stored.removeAll(keepingCapacity: stored.count <= Self.listedCount)
        places = [:]
    }

    @usableFromInline
    mutating func index() {
        places = [:]
        guard stored.count > Self.listedCount else { return }
        for (place, entry) in stored.enumerated() { places[entry.path] = place }
    }
}
