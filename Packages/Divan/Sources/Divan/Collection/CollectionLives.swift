import DivanStore
import Synchronization

/// The lives of a file's collections of which somebody has an object.
///
/// They go by the numbers of the collections, which are never given twice: what is deleted and made again
/// has another life at once, for whoever sees the one as for whoever still sees the other.
final class CollectionLives: Sendable {
    /// The default collection's, which is never deleted.
    let ofDefault = CollectionLife()
    private let others = Mutex<[CollectionPath: [CollectionID: CollectionLife]]>([:])

    subscript(path: CollectionPath, number: CollectionID) -> CollectionLife {
        others.withLock { others in
            if let life = others[path]?[number] { return life }
            let life = CollectionLife()
            others[path, default: [:]][number] = life
            return life
        }
    }

    /// Those under a name.
    func known(_ path: CollectionPath) -> [CollectionLife] {
        guard path != .default else { return [ofDefault] }
        return others.withLock { $0[path].map { Array($0.values) } ?? [] }
    }

    /// Ends one, and returns it if somebody has an object.
    func end(_ path: CollectionPath, _ number: CollectionID) -> CollectionLife? {
        let life = others.withLock { others in
            let life = others[path]?.removeValue(forKey: number)
            if others[path]?.isEmpty == true { others[path] = nil }
            return life
        }
        life?.end()
        return life
    }

    /// Ends all: the file is deleted.
    func end() {
        ofDefault.end()
        for lives in others.withLock({ $0.values }) { for life in lives.values { life.end() } }
    }
}
