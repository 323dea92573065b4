internal import DivanJSON
internal import DivanStorage

/// The whole state of a memory engine; a value, copied when it is changed while shared.
struct MemoryState {
    var paths: [(path: CollectionPath, state: CollectionState)] = []
    var collections: [CollectionID: MemoryCollection] = [:]
    var values: [ValueSpace: [ExactText: [UInt8]]] = [:]
    var lastID: Int64 = 0
}
