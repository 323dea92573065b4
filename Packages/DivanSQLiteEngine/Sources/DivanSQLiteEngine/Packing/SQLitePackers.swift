internal import DivanStorage

/// What a session knows of the collections whose bodies it packs; confined to its thread.
final class SQLitePackers {
    /// The packer of one collection.
    struct Packer {
        var state: PackedCollection
        /// The number of documents when making a dictionary was last tried, so that not every save tries again.
        var triedCount = 0
    }

    /// Whether a body may be packed.
    private(set) var mayPack: Bool
    /// By collection; `nil` until they are read.
    var known: [CollectionID: Packer]?

    init(mayPack: Bool) {
        self.mayPack = mayPack
        known = mayPack ? nil : [:]
    }

    /// Makes it read them again.
    func forget() { known = nil }

    /// Notes that bodies may be packed from now on.
    func begin() { mayPack = true }
}
