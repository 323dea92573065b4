import DivanStore
import Synchronization

/// The lives of a file's collections of which somebody has an object.
///
/// They go by the numbers of the collections, which are never given twice: what is deleted and made again
/// has another life at once, for whoever sees the one as for whoever still sees the other.
final class CollectionLives: Sendable {
    /// The default collection's, which is never deleted.
    let ofDefault = CollectionLife(of: nil)
    private let others = Mutex(Others())

    private struct Others {
        var living: [CollectionID: CollectionLife] = [:]
        var deleted: Set<CollectionID> = []
    }

    subscript(path: CollectionPath, number: CollectionID) -> CollectionLife {
        guard path != .default else { return ofDefault }
        return others.withLock { others in
            if let life = others.living[number] { return life }
            let life = CollectionLife(of: number)
            // Who asks still sees it in an older state of the file.
            if others.deleted.contains(number) {
                life.end()
                return life
            }
            others.living[number] = life
            return life
        }
    }

    /// The life of a collection if somebody has an object.
    func known(_ path: CollectionPath, _ number: CollectionID?) -> CollectionLife? {
        guard path != .default else { return ofDefault }
        return number.flatMap { number in others.withLock { $0.living[number] } }
    }

    /// Ends that of a collection that is deleted for good, and returns it if somebody has an object.
    func end(_ number: CollectionID) -> CollectionLife? {
        let life = others.withLock { others in
            others.deleted.insert(number)
            return others.living.removeValue(forKey: number)
        }
        life?.end()
        return life
    }

    /// Ends that of a collection that was never stored: another one may get the number.
    func undo(_ number: CollectionID) -> CollectionLife? {
        let life = others.withLock { $0.living.removeValue(forKey: number) }
        life?.end()
        return life
    }

    /// Ends all: the file is deleted.
    func end() {
        ofDefault.end()
        for life in others.withLock({ $0.living.values }) { life.end() }
    }
}
