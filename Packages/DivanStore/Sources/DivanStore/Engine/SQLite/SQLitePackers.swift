/// What a session knows of the collections whose bodies it packs; confined to its thread.
final class SQLitePackers {
    /// What packs in one collection.
    struct Packer {
        var state: PackedCollection
        /// With which documents it was tried to make a dictionary, lest each save tries.
        var triedCount = 0
    }

    /// Whether a body may be packed.
    private(set) var mayPack: Bool
    /// By collection; `nil` until that is read.
    var known: [CollectionID: Packer]?

    init(mayPack: Bool) {
        self.mayPack = mayPack
        known = mayPack ? nil : [:]
    }

    /// Has it read again.
    func forget() { known = nil }

    /// Notes that bodies may be packed from now on.
    func begin() { mayPack = true }
}
