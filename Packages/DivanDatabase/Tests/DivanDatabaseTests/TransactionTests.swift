import DivanDatabase
import DivanJSON
import DivanQuery
import DivanRevisions
import DivanTestKit
import Synchronization
import Testing

/// Transactions: all or nothing, nesting, notifications, readers during a write.
@Suite struct TransactionTests {
    private struct Refused: Error {}

    private let body = Array("{}".utf8)

    @Test(arguments: EngineKind.allCases)
    func `a block that throws stores nothing and notifies no observer`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let notices = Notices()
        let observation = room.store.observe { notices.add($0) }
        #expect(throws: Refused.self) {
            try room.store.write { writer in
                _ = try writer.save("doc", in: .default, body: body)
                throw Refused()
            }
        }
        #expect(try room.document("doc") == nil)
        #expect(try room.count() == 0)
        #expect(notices.take() == [])
        #expect(try room.save("doc").sequence == 1)
        observation.cancel()
    }

    @Test(arguments: EngineKind.allCases)
    func `a nested write joins the outer one`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let notices = Notices()
        let observation = room.store.observe { notices.add($0) }
        let origin = ChangeOrigin()
        try room.store.write { _ in
            #expect(room.store.isWriting)
            try room.save("a")
            try room.store.write(origin: origin) { inner in
                _ = try inner.save("b", in: .default, body: body)
            }
            try room.save("a", #"{"n":2}"#)
            #expect(try room.document("b") != nil)
            #expect(notices.take() == [])
        }
        #expect(!room.store.isWriting)
        let changes = notices.take()
        #expect(
            changes.map(\.origin) == [origin, .local] || changes.map(\.origin) == [.local, origin]
        )
        let local = try #require(changes.first { $0.origin == .local })
        #expect(local.changes == [DocumentChange(documentID: "a", sequence: 3)])
        observation.cancel()
    }

    @Test(arguments: EngineKind.allCases)
    func `a nested failure after a change rolls back the outer write`(
        _ kind: EngineKind
    ) throws {
        let room = try StoreFixture(kind)
        #expect(throws: Refused.self) {
            try room.store.write { _ in
                try room.save("outer")
                try? room.store.write { inner in
                    _ = try inner.save("inner", in: .default, body: body)
                    throw Refused()
                }
            }
        }
        #expect(try room.count() == 0)
        try room.store.write { _ in
            try room.save("outer")
            try? room.store.write { _ in throw Refused() }
        }
        #expect(try room.count() == 1)
    }

    /// Observes while it is kept alive.
    private final class Keeper: Sendable {
        private let observation: StoreObservation

        init(_ store: Store) {
            observation = store.observe { _ in }
        }
    }

    @Test func `releasing an observer can cancel another observation`() throws {
        let room = try StoreFixture(.memory)
        let observation = room.store.observe { [keeper = Keeper(room.store)] _ in
            withExtendedLifetime(keeper) {}
        }
        observation.cancel()
    }

    @Test(arguments: EngineKind.allCases)
    func `observers are notified of each commit once, until they are cancelled`(
        _ kind: EngineKind
    ) throws {
        let room = try StoreFixture(kind)
        let notices = Notices()
        var observation: StoreObservation? = room.store.observe { notices.add($0) }
        try room.save("a")
        try room.insert("b", "1-aa")
        try room.store.write { _ = try $0.purge("a", in: .default) }
        let number = try room.store.read { try $0.collectionNumber(.default) }
        let expected = [("a", UInt64(1)), ("b", 2), ("a", 0)].map {
            StoreChange(
                collection: .default,
                number: number,
                changes: [DocumentChange(documentID: $0.0, sequence: $0.1)],
                origin: .local
            )
        }
        let heard = notices.take()
        #expect(heard == expected && heard[2].changes[0].isPurge)
        try room.insert("b", "1-aa")
        #expect(notices.take() == [], "what was there before is no change")
        #expect(observation != nil)
        observation = nil
        try room.save("c")
        #expect(notices.take() == [])
    }

    @Test
    func
        `only observers that request it are notified of created and deleted collections and indexes`()
        throws
    {
        let room = try StoreFixture(.file)
        let (all, documents) = (Notices(), Notices())
        let observations = [
            room.store.observe(hearsShapes: true) { all.add($0) },
            room.store.observe { documents.add($0) },
        ]
        defer { withExtendedLifetime(observations) {} }
        let path = try #require(CollectionPath("shop.chairs"))
        func shapes() -> [Bool] { all.take().map(\.reshapesCollection) }
        try room.store.createCollection(path)
        #expect(shapes() == [true])
        try room.store.createCollection(path)
        #expect(shapes() == [])
        let key = CheckedKey(.property(source: 0, "name"))
        let definition = QueryIndexDefinition.value([key], filter: nil)
        for _ in 0..<2 { try room.store.write { try $0.createIndex("i", definition, in: path) } }
        #expect(shapes() == [true])
        try room.store.write { try $0.deleteIndex("i", in: path) }
        #expect(shapes() == [true])
        #expect(documents.take() == [])
        try room.store.write { try $0.deleteCollection(path) }
        #expect(shapes() == [false] && documents.take().map(\.endsCollection) == [true])
    }

    @Test(arguments: EngineKind.allCases)
    func `a commit observer can write to the store`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let store = room.store
        let observation = store.observe { change in
            guard change.changes.contains(where: { $0.documentID == "question" }) else { return }
            _ = try? store.write {
                try $0.save("answer", in: .default, body: Array("{}".utf8))
            }
        }
        try room.save("question")
        #expect(try room.document("answer") != nil)
        observation.cancel()
    }

    @Test(arguments: EngineKind.allCases)
    func `a reader or writer cannot be used after its block`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let reader = try room.store.read { $0 }
        let writer = try room.store.write { $0 }
        #expect(try refusal { _ = try reader.document("doc", in: .default) } == .notOpen)
        #expect(
            try refusal { _ = try writer.save("doc", in: .default, body: body) } == .notOpen
        )
    }

    /// Every commit moves 1 between two documents; no snapshot may see another sum than 100.
    @Test(arguments: EngineKind.allCases)
    func `readers see complete commits while a writer works`(_ kind: EngineKind) async throws {
        let room = try StoreFixture(kind)
        let scales = Scales(store: room.store)
        try scales.set(left: 100, right: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    repeat {
                        let sum = try scales.sum()
                        #expect(sum == 100)
                        await Task.yield()  // or two readers keep the only threads
                    } while !scales.isDone
                }
            }
            group.addTask {
                for step in 1...60 { try scales.set(left: 100 - step, right: step) }
                scales.finish()
            }
            try await group.waitForAll()
        }
        #expect(try room.document("right")?.body.count == 60)
    }

    /// Two documents whose bodies are as long as the weights that they represent.
    private final class Scales: Sendable {
        private let store: Store
        private let finished = Atomic(false)

        init(store: Store) {
            self.store = store
        }

        var isDone: Bool { finished.load(ordering: .relaxed) }

        func finish() {
            finished.store(true, ordering: .relaxed)
        }

        func set(left: Int, right: Int) throws {
            try store.write { writer in
                for (name, weight) in [("left" as DocumentID, left), ("right", right)] {
                    let body = [UInt8](repeating: UInt8(ascii: "x"), count: weight)
                    _ = try writer.save(name, in: .default, body: body)
                }
            }
        }

        func sum() throws -> Int {
            try store.read { reader in
                let left = try reader.document("left", in: .default)
                let right = try reader.document("right", in: .default)
                return (left?.body.count ?? 0) + (right?.body.count ?? 0)
            }
        }
    }

    @Test(arguments: EngineKind.onDisk)
    func `writers on many threads take turns`(_ kind: EngineKind) async throws {
        let room = try StoreFixture(kind)
        let store = room.store
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for number in 0..<25 {
                        try store.write { writer in
                            let body = Array("{}".utf8)
                            _ = try writer.save(
                                DocumentID(unchecked: "\(task)-\(number)"),
                                in: .default,
                                body: body
                            )
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let changes = try store.read { try $0.changes(in: .default, after: 0, limit: 200) }
        #expect(changes.map(\.sequence) == Array(1...100))
        #expect(try room.count() == 100)
    }

    @Test(arguments: EngineKind.allCases)
    func `an expiration time of 0 survives the next save`(
        _ kind: EngineKind
    ) throws {
        let room = try StoreFixture(kind)
        try room.save("doc")
        try room.store.write { try $0.setExpiration(0, of: "doc", in: .default) }
        try room.save("doc", #"{"n":1}"#)
        #expect(try room.store.read { try $0.expiration(of: "doc", in: .default) } == 0)
        #expect(try room.store.purgeExpired(now: 1) == 1)
        try room.store.checkIntegrity()
    }
}
