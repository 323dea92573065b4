import DivanReplicator
import DivanRevisions
import DivanStore
import Testing

/// A first run in one direction continues a run in another, whose checkpoint has another name for named
/// collections.
@Suite struct RelatedCheckpointTests {
    private static let path = CollectionPath(scope: "geo", name: "places") ?? .default
    private static let count = 400

    private func options(pushes: Bool = true, pulls: Bool = true) -> Conversation.Options {
        var options = Conversation.Options(pushes: pushes, pulls: pulls)
        options.collections = [.init(Self.path)]
        return options
    }

    private func sites() throws -> (here: Site, there: Site) {
        let (here, there) = (try Site(collections: [Self.path]), try Site(collections: [Self.path]))
        for number in 0..<Self.count {
            try there.save(DocumentID(unchecked: "theirs \(number)"), "{}", in: Self.path)
        }
        return (here, there)
    }

    @Test func `the first sync after a pull compares only changed documents`() throws {
        let (here, there) = try sites()
        _ = Conversation.oneShot(options(pushes: false), here, there)
        try here.save("mine", "{}", in: Self.path)
        try there.save("new", "{}", in: Self.path)
        let sync = Conversation.oneShot(options(), here, there)
        #expect(sync.failures == [] && sync.error == nil)
        #expect(sync.transfers.sorted() == ["pull new", "push mine"])
        #expect(sync.byteCount < 3_000, "\(sync.byteCount) bytes for \(Self.count) documents")
        #expect(try here.contents(of: Self.path) == there.contents(of: Self.path))
        let again = Conversation.oneShot(options(), here, there)
        #expect(again.transfers == [] && again.byteCount < 2_000, "\(again.byteCount)")
    }

    @Test(arguments: [(true, false), (false, true)])
    func `the first push or pull after a sync compares only changed documents`(
        pushes: Bool,
        pulls: Bool
    ) throws {
        let (here, there) = try sites()
        _ = Conversation.oneShot(options(), here, there)
        try here.save("mine", "{}", in: Self.path)
        try there.save("new", "{}", in: Self.path)
        let run = Conversation.oneShot(options(pushes: pushes, pulls: pulls), here, there)
        #expect(run.failures == [] && run.error == nil)
        #expect(run.transfers == [pushes ? "push mine" : "pull new"])
        #expect(run.byteCount < 3_000, "\(run.byteCount)")
    }

    /// Every sequence of up to five runs in changing directions, each with a new document on both sides.
    @Test(arguments: [
        "pull sync push", "sync pull push", "sync push pull", "pull push sync", "push pull sync",
        "push sync pull", "pull sync pull push", "sync push sync pull", "pull push pull push sync",
    ])
    func `each run after the first two compares only changed documents`(verbs: String) throws {
        let (here, there) = try sites()
        for number in 0..<Self.count {
            try here.save(DocumentID(unchecked: "mine \(number)"), "{}", in: Self.path)
        }
        for (number, verb) in verbs.split(separator: " ").enumerated() {
            let run = Conversation.oneShot(
                options(pushes: verb != "pull", pulls: verb != "push"),
                here,
                there
            )
            #expect(run.failures == [] && run.error == nil)
            if number > 1 { #expect(run.byteCount < 4_000, "\(verb): \(run.byteCount)") }
            try here.save(DocumentID(unchecked: "mine, run \(number)"), "{}", in: Self.path)
            try there.save(DocumentID(unchecked: "theirs, run \(number)"), "{}", in: Self.path)
        }
        _ = Conversation.oneShot(options(), here, there)
        #expect(try here.contents(of: Self.path) == there.contents(of: Self.path))
    }

    /// What the peer confirms for one direction says nothing about what it got in another and lost again.
    @Test(arguments: [true, false])
    func `a peer that lost pushed documents gets them again`(hasPullCopy: Bool) throws {
        let (here, there) = try sites()
        _ = Conversation.oneShot(options(pushes: false), here, there)
        let restored = try Site(collections: [Self.path])
        for number in 0..<Self.count {
            try restored.save(DocumentID(unchecked: "theirs \(number)"), "{}", in: Self.path)
        }
        guard case .active(let active) = options(pushes: false).active.role else { return }
        let names = CheckpointNames(of: .init(Self.path), active, in: here.store)
        let copy = try #require(try there.store.peerCheckpoint(names.id.description))
        if hasPullCopy {
            try restored.store.setPeerCheckpoint(
                names.id.description,
                copy.body,
                expectedRevision: nil
            )
        }
        try here.save("mine", "{}", in: Self.path)
        _ = Conversation.oneShot(options(pulls: false), here, there)
        #expect(try there.body("mine", in: Self.path) != nil)
        let sync = Conversation.oneShot(options(), here, restored)
        #expect(sync.failures == [] && sync.error == nil)
        #expect(try restored.contents(of: Self.path) == here.contents(of: Self.path))
    }

    @Test func `a run whose checkpoint was removed compares everything`() throws {
        let (here, there) = try sites()
        _ = Conversation.oneShot(options(pushes: false), here, there)
        guard case .active(let active) = options(pushes: false).active.role else { return }
        let names = CheckpointNames(of: .init(Self.path), active, in: here.store)
        try here.store.removeLocalCheckpoint(names.id.description)
        let sync = Conversation.oneShot(options(), here, there)
        #expect(sync.failures == [] && sync.byteCount > 3_000, "\(sync.byteCount)")
        #expect(try here.contents(of: Self.path) == there.contents(of: Self.path))
    }
}
