import DivanDatabase
import Synchronization

/// One life of a collection, from creation to deletion; shared by all objects that stand for it.
///
/// A collection that is recreated under the same name has another life, so old objects stay invalid. Equal only to
/// itself.
final class CollectionLifetime: Sendable, Hashable {
    /// Which of the collections of its name it is; `nil` for the default one, which is never deleted.
    let number: CollectionID?
    private let hasEnded = Atomic(false)

    init(of number: CollectionID?) {
        self.number = number
    }

    var isAlive: Bool { !hasEnded.load(ordering: .acquiring) }

    func end() {
        hasEnded.store(true, ordering: .releasing)
    }

    static func == (left: CollectionLifetime, right: CollectionLifetime) -> Bool { left === right }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
