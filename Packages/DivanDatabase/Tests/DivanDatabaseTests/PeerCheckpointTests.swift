import DivanDatabase
import Testing

/// Nobody can fill the disk with checkpoints, or make another owner lose its own.
@Suite struct PeerCheckpointTests {
    private func kept(_ store: Store) throws -> [String] {
        try store.read { try $0.peerCheckpoints() }.map(\.id)
    }

    @Test(arguments: EngineKind.allCases)
    func `the oldest checkpoint of an owner is evicted, and those of other owners are kept`(
        kind: EngineKind
    ) throws {
        let room = try StoreFixture(kind)
        try room.store.setPeerCheckpoint("mine", [1], expectedRevision: nil, owner: "me", at: 1)
        let limit = StoreLimits.ownedCheckpointCount
        for number in 0..<limit {
            let id = "c\(number)"
            try room.store.setPeerCheckpoint(id, [1], expectedRevision: nil, owner: "eve", at: 2)
        }
        // Written again, it is no longer the oldest.
        try room.store.setPeerCheckpoint("c0", [2], expectedRevision: "1-cc", owner: "eve", at: 3)
        for number in 0..<3 {
            let id = "n\(number)"
            try room.store.setPeerCheckpoint(id, [1], expectedRevision: nil, owner: "eve", at: 4)
        }
        let ids = Set(try kept(room.store))
        #expect(ids.count == limit + 1)
        #expect(ids.isSuperset(of: ["mine", "c0", "n0", "n1", "n2"]))
        #expect(ids.isDisjoint(with: ["c1", "c2", "c3"]))
    }

    @Test(arguments: EngineKind.allCases)
    func `checkpoints of an owner are limited by their total size`(kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let body = [UInt8](repeating: 1, count: 1 << 20)
        for number in 0..<40 {
            try room.store.setPeerCheckpoint(
                "c\(number)",
                body,
                expectedRevision: nil,
                owner: "eve"
            )
        }
        #expect(try kept(room.store).count == StoreLimits.ownedCheckpointByteCount / (1 << 20) - 1)
        #expect(try room.store.peerCheckpoint("c39") != nil)
    }

    /// Two spellings of one text are two rows, so they are two checkpoints.
    @Test(arguments: EngineKind.allCases)
    func `checkpoint names that differ only in their bytes are counted separately`(
        kind: EngineKind
    ) throws {
        let room = try StoreFixture(kind)
        for id in ["\u{C5}", "A\u{30A}", "\u{212B}"] {
            try room.store.setPeerCheckpoint(id, [1], expectedRevision: nil, owner: "eve")
        }
        #expect(try kept(room.store).count == 3)
        let limit = StoreLimits.ownedCheckpointCount
        for number in 0..<limit {
            try room.store.setPeerCheckpoint("c\(number)", [1], expectedRevision: nil, owner: "eve")
        }
        #expect(try kept(room.store).count == limit)
    }

    @Test(arguments: EngineKind.allCases)
    func `checkpoints without an owner do not count toward the limit per owner`(
        kind: EngineKind
    ) throws {
        let room = try StoreFixture(kind)
        let limit = StoreLimits.ownedCheckpointCount
        for number in 0..<limit + 5 {
            try room.store.setPeerCheckpoint("c\(number)", [1], expectedRevision: nil)
        }
        #expect(try kept(room.store).count == limit + 5)
    }

    /// The counts per owner are kept in memory: an enclosing transaction that is rolled back must not leave them ahead.
    @Test(arguments: EngineKind.allCases)
    func `checkpoints that were rolled back or whose collection was deleted do not count`(
        kind: EngineKind
    ) throws {
        let room = try StoreFixture(kind)
        let notes = try #require(CollectionPath("notes"))
        let limit = StoreLimits.ownedCheckpointCount
        try room.store.setPeerCheckpoint(
            "first",
            of: .default,
            [1],
            expectedRevision: nil,
            owner: "eve",
            at: 1
        )
        try? room.store.write { _ in
            for number in 0..<limit - 1 {
                let id = "u\(number)"
                try room.store.setPeerCheckpoint(id, [1], expectedRevision: nil, owner: "eve")
            }
            throw CancellationError()
        }
        try room.store.createCollection(notes)
        for number in 0..<limit - 1 {
            try room.store.setPeerCheckpoint(
                "n\(number)",
                of: notes,
                [1],
                expectedRevision: nil,
                owner: "eve",
                at: 2
            )
        }
        #expect(try kept(room.store).count == limit)
        try room.store.write { try $0.deleteCollection(notes) }
        for id in ["a", "b"] {
            try room.store.setPeerCheckpoint(
                id,
                of: .default,
                [1],
                expectedRevision: nil,
                owner: "eve",
                at: 3
            )
        }
        #expect(try kept(room.store) == ["a", "b", "first"])
    }

    @Test(arguments: EngineKind.allCases)
    func `a refused save does not remove a checkpoint`(kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        try room.store.setPeerCheckpoint("a", [1], expectedRevision: nil, owner: "eve")
        #expect(throws: StoreError.self) {
            try room.store.setPeerCheckpoint("a", [2], expectedRevision: "7-cc", owner: "eve")
        }
        #expect(try room.store.peerCheckpoint("a")?.body == [1])
        try room.store.removePeerCheckpoint("a")
        #expect(
            try room.store.setPeerCheckpoint("a", [3], expectedRevision: nil, owner: "eve")
                == "1-cc"
        )
    }
}
