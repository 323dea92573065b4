import Divan
import Foundation
import Testing

/// A mesh of three peers.
@Suite(.timeLimit(.minutes(5))) struct MeshTests {
    private let group = "kitchen-\(UUID().uuidString)"
    private let authority: Identity
    private let databases: [Database]

    init() throws {
        authority = try TestIdentities.authority.get()
        databases = try (1...3).map { try Database.inMemory(name: "peer\($0)") }
        for database in databases { _ = try database.collection("notes") }
    }

    private func notes(_ index: Int) async throws -> DocumentCollection {
        try await databases[index].collection("notes")
    }

    private func join(
        _ database: Database,
        collections: [Sync.Selection]? = nil,
        identity: Identity? = nil,
        discovery: Discovery = .process,
        resolver: any ConflictResolver = .standard
    ) async throws -> Mesh {
        try await Mesh.join(
            group,
            sharing: database,
            collections: collections,
            identity: identity ?? authority.issue(named: database.name, key: .p256),
            trust: .authority(authority.certificate),
            resolver: resolver,
            discovery: discovery,
            networkInterface: "127.0.0.1"
        )
    }

    /// Waits until a document has arrived over a mesh.
    private func wait(
        for id: String,
        in database: Database,
        _ documents:
            inout Updates<(peer: Mesh.PeerID, document: Sync.ReplicatedDocument), Never>
            .Iterator
    ) async throws {
        let notes = try await database.collection("notes")
        while try await notes.get(id) == nil, await documents.next() != nil {}
        #expect(try await notes.get(id) != nil)
    }

    @Test func `three peers find each other, and a document reaches all`() async throws {
        var meshes: [Mesh] = []
        for database in databases { meshes.append(try await join(database)) }
        var iterators = meshes.map { $0.documents.makeAsyncIterator() }
        try await notes(0).save(Document(id: "a"))
        for index in 1...2 {
            try await wait(for: "a", in: databases[index], &iterators[index])
        }
        #expect(Set(meshes.map(\.id)).count == 3 && meshes.allSatisfy(\.isJoined))
        for await peer in meshes[0].peers where peer.status.isIdle {
            #expect(peer.isOnline && peer.isCompatible && peer.link != nil)
            #expect(peer.certificate?.fingerprint == peer.id.description)
            break
        }
        for mesh in meshes {
            await mesh.leave()
            #expect(!mesh.isJoined && mesh.port == nil && mesh.knownPeers.isEmpty)
        }
        #expect(await meshes[0].peers.reduce(0) { count, _ in count + 1 } == 0)
    }

    @Test func `a peer that leaves goes offline for the others`() async throws {
        let (first, second) = (try await join(databases[0]), try await join(databases[1]))
        for await peer in first.peers where peer.status.isIdle { break }
        await second.leave()
        for await peer in first.peers where !peer.isOnline {
            #expect(peer.id == second.id)
            break
        }
        await first.leave()
    }

    @Test func `a filter and a resolver apply in a mesh`() async throws {
        let (mine, theirs) = (try await notes(0), try await notes(1))
        try await mine.save(Document(id: "private", ["isPrivate": true]))
        try await mine.save(Document(id: "both", ["text": "b"]))
        try await theirs.save(Document(id: "both", ["text": "a"]))
        let rule = ConflictRule.custom { conflict in
            await Task.yield()
            #expect(conflict.peer != nil)
            let texts = [conflict.local?.text?.string ?? "", conflict.remote?.text?.string ?? ""]
            return Document(id: conflict.documentID, ["text": .init(texts.sorted().joined())])
        }
        let selection = Sync.Selection(mine, push: .where { $0.isPrivate != true })
        let first = try await join(databases[0], collections: [selection], resolver: rule)
        let second = try await join(databases[1], resolver: rule)
        var documents = second.documents.makeAsyncIterator()
        while try await theirs.get("both")?.text?.string != "ab" { _ = await documents.next() }
        try await mine.save(Document(id: "public"))
        try await wait(for: "public", in: databases[1], &documents)
        #expect(try await theirs.get("private") == nil)
        for mesh in [first, second] { await mesh.leave() }
    }

    @Test func `a peer gets the documents that it subscribed to, also after another subscription`()
        async throws
    {
        let (mine, theirs) = (try await notes(0), try await notes(1))
        try await mine.save(Document(id: "milan", ["store": "milan"]))
        try await mine.save(Document(id: "rome", ["store": "rome"]))
        let identity = try authority.issue(named: "second", key: .p256)
        let first = try await join(databases[0])
        let rome = Sync.Selection(theirs, subscription: "store = 'rome'")
        let second = try await join(databases[1], collections: [rome], identity: identity)
        var documents = second.documents.makeAsyncIterator()
        try await wait(for: "rome", in: databases[1], &documents)
        #expect(try await theirs.get("milan") == nil)
        let outcomes = try ["milan", "rome"].map { try first.explain($0, in: mine).map(\.outcome) }
        #expect(outcomes == [[.notSubscribed("store = 'rome'")], [.linked]])
        #expect(try second.explain("rome", in: theirs).map(\.outcome) == [.linked])
        let missing = #expect(throws: DivanError.self) { try first.explain("oslo", in: mine) }
        #expect(missing?.code == .notFound)
        await second.leave()

        let milan = Sync.Selection(theirs, subscription: "store = 'milan'")
        let third = try await join(databases[1], collections: [milan], identity: identity)
        var later = third.documents.makeAsyncIterator()
        try await wait(for: "milan", in: databases[1], &later)
        for mesh in [first, third] { await mesh.leave() }
    }

    @Test func `a bundled rule applies in a mesh`() async throws {
        let (mine, theirs) = (try await notes(0), try await notes(1))
        try await mine.save(Document(id: "both", ["text": "same", "mine": 1]))
        try await theirs.save(Document(id: "both", ["text": "same", "theirs": 2]))
        let first = try await join(databases[0], resolver: ConflictRule.mergeFields)
        let second = try await join(databases[1], resolver: ConflictRule.mergeFields)
        var documents = second.documents.makeAsyncIterator()
        while try await theirs.get("both")?.mine?.int != 1 { _ = await documents.next() }
        #expect(try await theirs.get("both")?.theirs?.int == 2)
        for mesh in [first, second] { await mesh.leave() }
    }

    @Test func `a stranger is not accepted`() async throws {
        let stranger = try TestIdentities.stranger.get()
        let (first, second) = (
            try await join(databases[0]), try await join(databases[1], identity: stranger)
        )
        for await peer in second.peers where peer.status.error != nil {
            #expect(peer.link == nil)
            break
        }
        for mesh in [first, second] { await mesh.leave() }
    }

    @Test func `seeds are enough, without discovery`() async throws {
        let first = try await join(databases[0])
        let port = try #require(first.port)
        let seed = try #require(URL(string: "wss://127.0.0.1:\(port)"))
        let second = try await Mesh.join(
            group,
            sharing: databases[1],
            identity: authority.issue(named: "second", key: .p256),
            trust: .peers { _, chain in chain.last?.isAuthority == true },
            discovery: .none,
            seeds: [seed],
            networkInterface: "127.0.0.1"
        )
        for await peer in second.peers where peer.status.isIdle {
            #expect(peer.id == first.id)
            break
        }
        for mesh in [first, second] { await mesh.leave() }
    }

    @Test func `invalid settings are refused with a remedy`() async throws {
        let channels = Sync.Selection(try await notes(0), channels: ["a"])
        let foreign = Sync.Selection(try await notes(1))
        let invalid = Sync.Selection(try await notes(0), subscription: "store =")
        for selections in [[channels], [foreign], [invalid], []] {
            let error = await #expect(throws: DivanError.self) {
                _ = try await join(databases[0], collections: selections)
            }
            #expect(error?.code == .invalidArgument && error?.remedy != nil)
        }
        let error = #expect(throws: DivanError.self) {
            _ = try Mesh.join(
                "a.b",
                sharing: databases[0],
                identity: authority.issue(named: "a", key: .p256),
                trust: .authority(authority.certificate),
                discovery: .process
            )
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `closing the database leaves the mesh`() async throws {
        let mesh = try await join(databases[0])
        let peers = mesh.peers
        try await databases[0].close()
        for await _ in peers {}
        #expect(!mesh.isJoined)
    }
}
