internal import DivanJSON

/// Everything that a memory engine knows; a value, copied when it is changed while shared.
struct MemoryState {
    var paths: [(path: CollectionPath, state: CollectionState)] = []
    var collections: [CollectionID: MemoryCollection] = [:]
    var values: [ValueSpace: [ExactText: [UInt8]]] = [:]
    var lastID: Int64 = 0
}
