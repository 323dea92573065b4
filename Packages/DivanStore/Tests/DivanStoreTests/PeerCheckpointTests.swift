import DivanStore
import Testing

/// Nobody fills the disk with checkpoints, and nobody loses his by another's hand.
@Suite struct PeerCheckpointTests {
    private func kept(_ store: Store) throws -> [String] {
        try store.read { try $0.peerCheckpoints() }.map(\.id)
    }

    @Test func `an owner's oldest checkpoint gives way, and those of others stay`() throws {
        let store = Store.inMemory()
        try store.setPeerCheckpoint("mine", [1], expectedRevision: nil, owner: "me", at: 1)
        let limit = StoreLimits.ownedCheckpointCount
        for number in 0..<limit {
            let id = "c\(number)"
            try store.setPeerCheckpoint(id, [1], expectedRevision: nil, owner: "eve", at: 2)
        }
        // Written again, it is not the oldest any more.
        try store.setPeerCheckpoint("c0", [2], expectedRevision: "1-cc", owner: "eve", at: 3)
        for number in 0..<3 {
            let id = "n\(number)"
            try store.setPeerCheckpoint(id, [1], expectedRevision: nil, owner: "eve", at: 4)
        }
        let ids = Set(try kept(store))
        #expect(ids.count == limit + 1)
        #expect(ids.isSuperset(of: ["mine", "c0", "n0", "n1", "n2"]))
        #expect(ids.isDisjoint(with: ["c1", "c2", "c3"]))
    }

    @Test func `large checkpoints are bounded by their bytes`() throws {
        let store = Store.inMemory()
        let body = [UInt8](repeating: 1, count: 1 << 20)
        for number in 0..<40 {
            try store.setPeerCheckpoint("c\(number)", body, expectedRevision: nil, owner: "eve")
        }
        #expect(try kept(store).count == StoreLimits.ownedCheckpointByteCount / (1 << 20) - 1)
        #expect(try store.peerCheckpoint("c39") != nil)
    }

    /// Two spellings of one text are two rows, so they are two checkpoints.
    @Test func `names are counted by their bytes`() throws {
        let store = Store.inMemory()
        for id in ["\u{C5}", "A\u{30A}", "\u{212B}"] {
            try store.setPeerCheckpoint(id, [1], expectedRevision: nil, owner: "eve")
        }
        #expect(try kept(store).count == 3)
        let limit = StoreLimits.ownedCheckpointCount
        for number in 0..<limit {
            try store.setPeerCheckpoint("c\(number)", [1], expectedRevision: nil, owner: "eve")
        }
        #expect(try kept(store).count == limit)
    }

    @Test func `who counts for nobody has the bound of all alone`() throws {
        let store = Store.inMemory()
        let limit = StoreLimits.ownedCheckpointCount
        for number in 0..<limit + 5 {
            try store.setPeerCheckpoint("c\(number)", [1], expectedRevision: nil)
        }
        #expect(try kept(store).count == limit + 5)
    }

    @Test func `a save that was refused costs no checkpoint`() throws {
        let store = Store.inMemory()
        try store.setPeerCheckpoint("a", [1], expectedRevision: nil, owner: "eve")
        #expect(throws: StoreError.self) {
            try store.setPeerCheckpoint("a", [2], expectedRevision: "7-cc", owner: "eve")
        }
        #expect(try store.peerCheckpoint("a")?.body == [1])
        try store.removePeerCheckpoint("a")
        #expect(
            try store.setPeerCheckpoint("a", [3], expectedRevision: nil, owner: "eve") == "1-cc"
        )
    }
}
