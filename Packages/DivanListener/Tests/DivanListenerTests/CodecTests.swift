import DivanCompression
import DivanLZ4
import DivanListener
import DivanReplicator
import DivanRevisions
import DivanSession
import DivanStore
import DivanZlib
import Testing

/// Whole syncs over sockets with each codec, with a third-party one, and with peers that lack it.
@Suite(.timeLimit(.minutes(5))) struct CodecTests {
    /// Saves documents that any codec can compress.
    private func fill(_ store: Store) throws {
        let text = String(repeating: "a", count: 900)
        for number in 0..<100 {
            _ = try store.write { writer in
                let body = "{\"number\":\(number),\"text\":\"\(text)\"}"
                return try writer.save(
                    DocumentID(unchecked: "\(number)"),
                    in: .default,
                    body: Array(body.utf8)
                )
            }
        }
    }

    /// Syncs, and returns the server's codec and how many bytes it sent.
    private func sync(
        listener: [any CompressionCodec],
        client: [any CompressionCodec],
        sparesLoopback: Bool = false
    ) async throws -> (codec: [String: UInt64], byteCount: UInt64) {
        let serving = try Serving {
            $0.databases["kitchen"]?.peer.furtherCodecs = listener
            $0.databases["kitchen"]?.sparesLoopback = sparesLoopback
        }
        let (here, there) = (Store.inMemory(), serving.store)
        try fill(there)
        try here.put("mine", 1)
        let last = try await serving.sync(here, codecs: client)
        #expect(last?.error == nil)
        #expect(try here.documentCount == 101)
        #expect(try there.documentCount == 101)
        let statistics = serving.server.statistics
        return (statistics.connectionCountByCodec, statistics.sentByteCount)
    }

    @Test func `LZ4 is used if both sides support it`() async throws {
        let run = try await sync(listener: [LZ4Codec()], client: [LZ4Codec()])
        #expect(run.codec == ["lz4": 1])
        #expect(run.byteCount < 30_000)
    }

    @Test func `deflate is used if one side lacks LZ4`() async throws {
        for (listener, client) in [([], [LZ4Codec()]), ([LZ4Codec()], []), ([], [])] {
            let run = try await sync(listener: listener, client: client)
            #expect(run.codec == ["deflate": 1])
            #expect(run.byteCount < 30_000)
        }
    }

    @Test func `loopback connections are compressed only on request`() async throws {
        let spared = try await sync(listener: [LZ4Codec()], client: [], sparesLoopback: true)
        #expect(spared.codec == ["none": 1])
        #expect(spared.byteCount > 90_000)
        let asked = try await sync(
            listener: [LZ4Codec()],
            client: [LZ4Codec()],
            sparesLoopback: true
        )
        #expect(asked.codec == ["lz4": 1])
    }

    @Test func `a custom codec meets the contract`() {
        #expect(CodecContract.violations(of: RunLengthCodec()) == [])
    }

    @Test func `a sync works with a custom codec`() async throws {
        let run = try await sync(
            listener: [RunLengthCodec(), LZ4Codec()],
            client: [LZ4Codec(), RunLengthCodec()]
        )
        #expect(run.codec == ["rle": 1], "the listener's preference counts")
        #expect(run.byteCount < 60_000)
    }
}
