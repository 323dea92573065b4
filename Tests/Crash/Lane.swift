import DivanDatabase

/// The documents of one writing thread; threads share a database, never a document.
struct Lane: Hashable {
    /// Threads of a writer.
    static let count = 3
    static let all = (0..<count).map { Lane(number: $0) }

    let number: Int

    var prefix: String { "\(number)-" }
    var checkpoint: String { "cp-\(number)" }
    /// Whether only this thread changes how bodies are packed: its last report must hold.
    var keepsPacking: Bool { number == 0 }
    /// A collection that is created and deleted.
    var collectionName: String { "lane\(number)" }

    /// - Throws: Never with the names of lanes.
    func collection() throws -> CollectionPath {
        guard let path = CollectionPath(collectionName) else {
            throw CrashFailure("\(collectionName) is no name")
        }
        return path
    }
}
