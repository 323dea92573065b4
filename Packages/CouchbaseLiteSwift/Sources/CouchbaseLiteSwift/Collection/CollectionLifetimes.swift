import DivanDatabase
import Synchronization

/// The lives of a file's collections for which objects exist.
///
/// They are keyed by the collections' numbers, which are never reused: a deleted and recreated collection has a new
/// life at once, both for those who see the new one and for those who still see the old one.
final class CollectionLifetimes: Sendable {
    /// The life of the default collection, which is never deleted.
    let ofDefault = CollectionLifetime(of: nil)
    private let others = Mutex(Others())

    private struct Others {
        var living: [CollectionID: CollectionLifetime] = [:]
        var deleted: Set<CollectionID> = []
    }

    subscript(path: CollectionPath, number: CollectionID) -> CollectionLifetime {
        guard path != .default else { return ofDefault }
        return others.withLock { others in
            if let life = others.living[number] { return life }
            let life = CollectionLifetime(of: number)
            // The caller still sees it in an older state of the file.
            if others.deleted.contains(number) {
                life.end()
                return life
            }
            others.living[number] = life
            return life
        }
    }

    /// The life of a collection, if there is an object for it.
    func known(_ path: CollectionPath, _ number: CollectionID?) -> CollectionLifetime? {
        guard path != .default else { return ofDefault }
        return number.flatMap { number in others.withLock { $0.living[number] } }
    }

    /// Ends the life of a collection whose deletion is committed, and returns it if there is an object.
    func end(_ number: CollectionID) -> CollectionLifetime? {
        let life = others.withLock { others in
            others.deleted.insert(number)
            return others.living.removeValue(forKey: number)
        }
        life?.end()
        return life
    }

    /// Ends the life of a collection that was never stored: another one may get its number.
    func undo(_ number: CollectionID) -> CollectionLifetime? {
        let life = others.withLock { $0.living.removeValue(forKey: number) }
        life?.end()
        return life
    }

    /// Ends all lives because the file is deleted.
    func end() {
        ofDefault.end()
        for life in others.withLock({ $0.living.values }) { life.end() }
    }
}
