import CouchbaseLiteSwift
import Testing

/// The compression on which replicators and listeners agree, according to their statistics.
@Suite(.timeLimit(.minutes(5))) struct CompressionTests {
    /// Pulls documents that any codec can compress.
    private func run(
        replicator: ReplicationCompression,
        listener: ReplicationCompression
    ) async throws -> (near: String?, far: [String: UInt64], byteCount: UInt64) {
        let peers = try Peers()
        let source = try peers.there.defaultCollection()
        for number in 0..<60 {
            let document = MutableDocument(id: "\(number)")
                .setString(String(repeating: "word ", count: 200), forKey: "text")
            try source.save(document: document)
        }
        let server = try peers.listen {
            $0.disableTLS = true
            $0.compression = listener
        }
        defer { server.stop() }
        var configuration = try peers.configuration(target: server.endpoint())
        configuration.compression = replicator
        let client = Replicator(config: configuration)
        try await client.run()
        #expect(try peers.here.defaultCollection().count == 60)
        let figures = server.statistics
        return (
            client.statistics.compression, figures.connectionCountByCompression,
            figures.sentByteCount
        )
    }

    private let deflate = ReplicationCompression.deflate(level: 1)

    @Test func `connections within one machine are not compressed by default`() async throws {
        let run = try await run(replicator: .automatic, listener: .automatic)
        #expect(run.near == "none")
        #expect(run.far == ["none": 1])
        #expect(run.byteCount > 60_000)
    }

    @Test func `LZ4 is used if the replicator requests it and the listener allows it`() async throws
    {
        for listener in [ReplicationCompression.automatic, .lz4] {
            let run = try await run(replicator: .lz4, listener: listener)
            #expect(run.near == "lz4")
            #expect(run.far == ["lz4": 1])
            #expect(run.byteCount < 20_000)
        }
    }

    @Test func `deflate is used if the listener does not support LZ4`() async throws {
        let run = try await run(replicator: .lz4, listener: deflate)
        #expect(run.near == "deflate")
        #expect(run.far == ["deflate": 1])
        #expect(run.byteCount < 20_000)
    }

    @Test func `each peer chooses the compression of what it sends`() async throws {
        let first = try await run(replicator: deflate, listener: .none)
        #expect(first.near == "deflate")
        #expect(first.far == ["none": 1])
        let second = try await run(replicator: .none, listener: deflate)
        #expect(second.near == "none")
        #expect(second.far == ["deflate": 1])
        #expect(second.byteCount < 20_000)
    }
}
