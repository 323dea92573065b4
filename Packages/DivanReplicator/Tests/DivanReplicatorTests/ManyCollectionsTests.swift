import DivanReplicator
import DivanRevisions
import DivanStore
import Testing

/// Each collection has its own windows; the total of hundreds of them is limited, too.
@Suite struct ManyCollectionsTests {
    private func paths(_ count: Int) throws -> [CollectionPath] {
        try (0..<count).map { try #require(CollectionPath(scope: "many", name: "c\($0)")) }
    }

    private func options(
        _ paths: [CollectionPath],
        pushes: Bool,
        _ limits: ReplicatorLimits
    ) -> Conversation.Options {
        var options = Conversation.Options(pushes: pushes, pulls: !pushes)
        options.collections = paths.map { .init($0) }
        options.limits = limits
        return options
    }

    /// Each document has its own blob, so each revision waits at the receiver.
    private func fill(_ site: Site, _ paths: [CollectionPath], count: Int) throws {
        for (index, path) in paths.enumerated() {
            for number in 0..<count {
                let content = Array("\(index) \(number)".utf8)
                try site.saveBlob(DocumentID(unchecked: "\(number)"), content, in: path)
            }
        }
    }

    private func count(_ site: Site, _ paths: [CollectionPath]) throws -> Int {
        try paths.reduce(0) { sum, path in
            try sum + site.store.read { try $0.count(in: path) }
        }
    }

    @Test(arguments: [true, false])
    func `revisions waiting for blobs in 200 collections stay within the limit`(pushes: Bool) throws
    {
        let paths = try paths(200)
        let sites = (try Site(collections: paths), try Site(collections: paths))
        let (here, there) = sites
        try fill(pushes ? here : there, paths, count: 3)
        var limits = ReplicatorLimits()
        limits.parkedRevisionsCount = 40
        limits.allUnansweredRevisionsCount = 20
        limits.allRequestedRevisionsCount = 30
        limits.allQueuedRevisionsCount = 30
        let run = Conversation.oneShot(options(paths, pushes: pushes, limits), here, there)
        #expect(run.failures == [])
        #expect(run.closeCode == 1000)
        #expect(run.transfers.count == 600)
        #expect(try count(here, paths) == 600 && count(there, paths) == 600)
    }

    /// As with a peer that sends more at once than was requested.
    @Test func `revisions above the limit for waiting blobs are sent on another connection`() throws
    {
        let paths = try paths(20)
        let (here, there) = (try Site(collections: paths), try Site(collections: paths))
        try fill(there, paths, count: 2)
        var limits = ReplicatorLimits()
        limits.parkedRevisionsCount = 15
        let options = options(paths, pushes: false, limits)
        let first = Conversation.oneShot(options, here, there)
        #expect(first.failures.map(\.error?.code) == .init(repeating: 503, count: 25))
        #expect(first.closeCode == 4001, "it connects again")
        #expect(first.error?.isTransient == true)
        #expect(Conversation.oneShot(options, here, there).closeCode == 4001)
        let last = Conversation.oneShot(options, here, there)
        #expect(last.failures == [] && last.closeCode == 1000)
        #expect(try count(here, paths) == 40)
    }

    @Test(arguments: [true, false])
    func `a large collection does not block the others until it is complete`(pushes: Bool) throws {
        let paths = try paths(2)
        let (here, there) = (try Site(collections: paths), try Site(collections: paths))
        let source = pushes ? here : there
        for number in 0..<1_000 {
            try source.save(DocumentID(unchecked: "\(number)"), "{}", in: paths[0])
        }
        try source.save("small", "{}", in: paths[1])
        var limits = ReplicatorLimits()
        limits.allUnansweredRevisionsCount = 10
        limits.allRequestedRevisionsCount = 10
        limits.allQueuedRevisionsCount = 10
        limits.allListsInFlightCount = 1
        let run = Conversation.oneShot(options(paths, pushes: pushes, limits), here, there)
        #expect(run.transfers.count == 1_001)
        let place = run.transfers.firstIndex { $0.hasSuffix("small") } ?? .max
        #expect(place < 700, "\(place)")
    }
}
