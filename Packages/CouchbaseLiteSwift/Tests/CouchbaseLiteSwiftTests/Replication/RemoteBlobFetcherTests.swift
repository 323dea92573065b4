import DivanPlatform
import DivanTestKit
import Foundation
import Synchronization
import Testing

@testable import CouchbaseLiteSwift

/// Blobs that wait for others to arrive.
///
/// `@testable`: nothing public shows that one is queued.
@Suite(.timeLimit(.minutes(5))) struct RemoteBlobFetcherTests {
    /// A hub with the collections `a` and `b`, whose blobs a client has left there.
    private struct HubFixture {
        let peers: Peers
        let listener: URLEndpointListener
        private let replicators: [Replicator]

        /// Creates `largeCount` large blobs in `a`, and `count` blobs in `b`.
        init(_ largeCount: Int, _ count: Int) async throws {
            peers = try Peers()
            var shared: [CouchbaseLiteSwift.Collection] = []
            for (name, number) in [("a", largeCount), ("b", count)] {
                _ = try peers.here.createCollection(name: name)
                let there = try peers.there.createCollection(name: name)
                shared.append(there)
                let pictures = MutableArrayObject()
                for place in 0..<number {
                    let byteCount = name == "a" ? 200_000 : 20
                    let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* (place + 3)) }
                    let data = Data("\(name) \(place)".utf8) + Data(bytes)
                    pictures.addBlob(Blob(contentType: "image/jpeg", data: data))
                }
                let document = MutableDocument(id: "photos")
                document.setArray(pictures, forKey: "pictures")
                try there.save(document: document)
            }
            listener = try peers.listen(collections: shared) { $0.disableTLS = true }
            var replicators: [Replicator] = []
            for name in ["a", "b"] {
                var configuration = try peers.configuration(
                    .pull,
                    target: listener.endpoint(),
                    collections: [try #require(try peers.here.collection(name: name))]
                )
                configuration.blobs = .lazy
                let replicator = Replicator(config: configuration)
                try await replicator.run()
                replicators.append(replicator)
            }
            self.replicators = replicators
        }

        func blobs(of name: String) throws -> [Blob] {
            let collection = try #require(try peers.here.collection(name: name))
            let pictures = try collection.document(id: "photos")?.array(forKey: "pictures")
            return (0..<(pictures?.count ?? 0)).compactMap { pictures?.blob(at: $0) }
        }

        /// Holds the fetch of one blob, behind which others queue, while `body` runs.
        func holding(_ blob: Blob, _ body: () async throws -> Void) async throws {
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let go = DispatchSemaphore(value: 0)
            let hasBegun = Atomic(false)
            let first = Task {
                try await blob.fetch { _ in
                    guard !hasBegun.exchange(true, ordering: .relaxed) else { return }
                    begin.finish()
                    go.wait()
                }
            }
            for await _ in begun {}
            try await body()
            go.signal()
            try await first.value
        }

        /// Returns once `count` blobs are queued.
        func wait(for count: Int) async throws {
            let fetcher = try peers.here.service { RemoteBlobFetcher() }
            while fetcher.waitingCount < count { await Task.yield() }
        }
    }

    @Test func `a collection can be deleted while its blobs wait to be fetched`() async throws {
        let room = try await HubFixture(2, 1)
        defer { room.listener.stop() }
        let (large, small) = (try room.blobs(of: "a"), try room.blobs(of: "b"))
        var waiting: [Task<Void, any Error>] = []
        try await room.holding(large[0]) {
            waiting = [large[1], small[0]].map { blob in Task { try await blob.fetch() } }
            try await room.wait(for: 2)
            try room.peers.here.deleteCollection(name: "b")
        }
        try await waiting[0].value
        await #expect(throws: NSError.self) { try await waiting[1].value }
    }

    /// The peer accepts the connection and stays silent: only a stop ends the attempt in time.
    @Test func `a connection attempt is stopped if all its blob requests are cancelled`()
        async throws
    {
        let room = try await HubFixture(2, 1)
        defer { room.listener.stop() }
        let (silent, port) = try Loopback.listen()
        defer { silent.close() }
        let large = try room.blobs(of: "a")
        let isFirst = Atomic(true)
        _ = try room.peers.here.service {
            RemoteBlobFetcher {
                // The task that fetches is the one that starts the connection.
                guard isFirst.exchange(false, ordering: .relaxed) else { return }
                withUnsafeCurrentTask { task in
                    if let task { task.cancel() }
                }
            }
        }
        let configuration = try room.peers.configuration(
            .pull,
            target: URLEndpoint(validating: "ws://127.0.0.1:\(port)/there"),
            collections: [try #require(try room.peers.here.collection(name: "a"))]
        )
        let first = Task { try await large[0].fetch(from: configuration) }
        await #expect(throws: CancellationError.self) { try await first.value }
        try await large[1].fetch()
        #expect(large[1].isHere && !large[0].isHere)
    }

    @Test func `requests for many blobs end if their collection is deleted`() async throws {
        let room = try await HubFixture(1, TestLength.of(500, long: 2_000))
        defer { room.listener.stop() }
        let (large, small) = (try room.blobs(of: "a"), try room.blobs(of: "b"))
        var waiting: [Task<Void, any Error>] = []
        try await room.holding(large[0]) {
            waiting = small.map { blob in Task { try await blob.fetch() } }
            try await room.wait(for: small.count)
            try room.peers.here.deleteCollection(name: "b")
        }
        for other in waiting { await #expect(throws: NSError.self) { try await other.value } }
    }
}
