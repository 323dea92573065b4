import DivanTestKit
import Foundation
import Synchronization
import Testing

@testable import Divan

/// Blobs that wait until others have come.
///
/// `@testable`: nothing public tells that one stands in line.
@Suite(.timeLimit(.minutes(2))) struct BlobCourierTests {
    @Test func `a collection may be deleted while its blobs stand in line`() async throws {
        let peers = try Peers()
        var shared: [Divan.Collection] = []
        for (offset, name) in ["a", "b"].enumerated() {
            _ = try peers.here.createCollection(name: name)
            let there = try peers.there.createCollection(name: name)
            shared.append(there)
            for number in 0..<2 {
                let document = MutableDocument(id: "photo-\(number)")
                let step = 10 * offset + number + 3
                let data = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* step) })
                document.setBlob(Blob(contentType: "image/jpeg", data: data), forKey: "picture")
                try there.save(document: document)
            }
        }
        let listener = try peers.listen(collections: shared) { $0.disableTLS = true }
        defer { listener.stop() }
        var replicators: [Replicator] = []
        for name in ["a", "b"] {
            let collection = try #require(try peers.here.collection(name: name))
            var configuration = try peers.configuration(
                .pull,
                target: listener.endpoint(),
                collections: [collection]
            )
            configuration.blobs = .lazy
            let replicator = Replicator(config: configuration)
            try await replicator.run()
            replicators.append(replicator)
        }
        func picture(_ name: String, _ number: Int) throws -> Blob {
            let collection = try #require(try peers.here.collection(name: name))
            let document = try collection.document(id: "photo-\(number)")
            return try #require(document?.blob(forKey: "picture"))
        }
        let (a0, a1, b0) = (try picture("a", 0), try picture("a", 1), try picture("b", 0))
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let go = DispatchSemaphore(value: 0)
        let hasBegun = Atomic(false)
        let first = Task {
            try await a0.fetch { _ in
                guard !hasBegun.exchange(true, ordering: .relaxed) else { return }
                begin.finish()
                go.wait()
            }
        }
        for await _ in begun {}
        let (second, third) = (Task { try await a1.fetch() }, Task { try await b0.fetch() })
        let courier = try peers.here.service { BlobCourier() }
        while courier.waitingCount < 2 { await Task.yield() }
        try peers.here.deleteCollection(name: "b")
        go.signal()
        try await first.value
        try await second.value
        await #expect(throws: NSError.self) { try await third.value }
        withExtendedLifetime(replicators) {}
    }
}
