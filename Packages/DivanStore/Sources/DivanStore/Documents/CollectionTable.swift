/// What is known of collections, by path and in order of arrival.
///
/// There are usually a handful, for which a list is the fastest index; a database may have thousands.
struct CollectionTable<Value> {
    private(set) var entries: [(path: CollectionPath, value: Value)] = []
    // Empty while there are few collections.
    private var places: [CollectionPath: Int] = [:]

    private static var listedCount: Int { 8 }

    /// What is known of a collection, or `nil`.
    subscript(path: CollectionPath) -> Value? {
        guard places.isEmpty else { return places[path].map { entries[$0].value } }
        return entries.first { $0.path == path }?.value
    }

    /// Adds a collection that is not present yet.
    mutating func append(_ value: Value, under path: CollectionPath) {
        entries.append((path, value))
        if !places.isEmpty {
            places[path] = entries.count - 1
        } else if entries.count > Self.listedCount {
            index()
        }
    }

    /// Forgets a collection.
    mutating func remove(_ path: CollectionPath) {
        entries.removeAll { $0.path == path }
        index()
    }

    /// Forgets all collections, but keeps the capacity for a few.
    mutating func removeAll() {
        entries.removeAll(keepingCapacity: entries.count <= Self.listedCount)
        places = [:]
    }

    private mutating func index() {
        places = [:]
        guard entries.count > Self.listedCount else { return }
        for (place, entry) in entries.enumerated() { places[entry.path] = place }
    }
}
