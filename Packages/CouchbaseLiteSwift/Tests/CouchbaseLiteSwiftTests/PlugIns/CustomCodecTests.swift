import CouchbaseLiteSwift
import DivanCompression
import DivanTestKit
import Foundation
import Testing

/// Codecs of the application, for the wire and for stored bodies.
@Suite(.timeLimit(.minutes(5))) struct CustomCodecTests {
    // MARK: The wire

    private func pull(
        _ replicator: ReplicationCompression,
        _ listener: ReplicationCompression
    ) async throws -> (near: String?, far: [String: UInt64], code: Int) {
        let peers = try Peers()
        let source = try peers.there.defaultCollection()
        for number in 0..<20 {
            let text = String(repeating: "word \(number) ", count: 200)
            try source.save(document: MutableDocument(id: "\(number)").setString(text, forKey: "t"))
        }
        let server = try peers.listen {
            $0.disableTLS = true
            $0.compression = listener
        }
        defer { server.stop() }
        var configuration = try peers.configuration(target: server.endpoint())
        configuration.compression = replicator
        let client = Replicator(config: configuration)
        let code = await client.finalCode()
        #expect(try peers.here.defaultCollection().count == (code == 0 ? 20 : 0))
        let figures = server.statistics
        return (client.statistics.compression, figures.connectionCountByCompression, code)
    }

    @Test func `frames are compressed with a custom codec that both peers have`() async throws {
        let (near, far) = (TallyCodec(), TallyCodec())
        let run = try await pull(.codec(near), .codec(far))
        #expect(run.near == "tally")
        #expect(run.far == ["tally": 1])
        #expect(far.byteCounts.compressed > 20_000)
        #expect(near.byteCounts.decompressed > 20_000)
        #expect(near.byteCounts.compressed > 0)
        #expect(far.byteCounts.decompressed > 0)
    }

    @Test(arguments: [ReplicationCompression.lz4, .deflate(level: 6)])
    func `deflate is used if only one peer has the custom codec`(
        other: ReplicationCompression
    ) async throws {
        let codec = TallyCodec()
        let first = try await pull(.codec(codec), other)
        #expect(first.near == "deflate")
        let second = try await pull(other, .codec(codec))
        #expect(second.far == ["deflate": 1])
        #expect(codec.byteCounts == (0, 0))
    }

    @Test(arguments: [
        "", "deflate", "LZ4", "Mixed", "none", "run-length", "seventeen17letters", "é",
    ])
    func `a codec with a reserved or invalid name starts neither replicator nor listener`(
        name: String
    ) async throws {
        let peers = try Peers()
        var configuration = try peers.configuration()
        configuration.compression = .codec(TallyCodec(name))
        let code = await Replicator(config: configuration).finalCode()
        #expect(code == CBLError.invalidParameter)
        let error = #expect(throws: NSError.self) {
            _ = try peers.listen { $0.compression = .codec(TallyCodec(name)) }
        }
        #expect(error?.code == CBLError.invalidParameter)
    }

    @Test func `settings with codecs of the same name are equal`() {
        #expect(ReplicationCompression.codec(TallyCodec("a")) == .codec(TallyCodec("a")))
        #expect(ReplicationCompression.codec(TallyCodec("a")) != .codec(TallyCodec("b")))
        #expect(Set<ReplicationCompression>([.lz4, .lz4, .codec(TallyCodec())]).count == 2)
    }

    // MARK: Stored bodies

    private static func fill(_ collection: Collection) throws {
        try collection.database.inBatch {
            for number in 0..<100 {
                let text = String(repeating: "a", count: 300)
                try collection.save(
                    document: MutableDocument(id: "d\(number)", data: ["n": number, "text": text])
                )
            }
        }
    }

    @Test func `bodies are stored with a custom codec and can only be read with it`() throws {
        let home = try TemporaryDirectory()
        let codec = InvertingCodec()
        var config = DatabaseConfiguration.in(home)
        config.bodyCodecs = [BodyCodec(number: 200, codec: codec)]
        #expect(DatabaseConfiguration(config: config).bodyCodecs.map(\.number) == [200])
        let database = try Database(name: "a", config: config)
        let collection = try database.defaultCollection()
        try Self.fill(collection)
        try collection.setBodyCompression(.codec(codec))
        #expect(try collection.bodyCompression().rawValue == "inverting")
        try database.performMaintenance(type: .compact)
        #expect(codec.bodyCounts.packed >= 100)
        try database.close()

        let again = try Database(name: "a", config: config)
        let unpackedCount = codec.bodyCounts.unpacked
        #expect(try again.defaultCollection().document(id: "d7")?.int(forKey: "n") == 7)
        #expect(codec.bodyCounts.unpacked > unpackedCount)
        try again.close()

        let without = try Database(name: "a", config: .in(home))
        let bare = try without.defaultCollection()
        #expect(try bare.bodyCompression().rawValue == "codec 200")
        let error = #expect(throws: NSError.self) { _ = try bare.document(id: "d7") }
        #expect(error?.code == CBLError.unsupported)
        try without.close()
    }

    @Test func `a codec that the configuration lacks cannot be selected`() throws {
        let database = try TemporaryDatabase()
        let collection = try database.collection
        let error = #expect(throws: NSError.self) {
            try collection.setBodyCompression(.codec(InvertingCodec()))
        }
        #expect(error?.code == CBLError.unsupported)
        #expect(error?.localizedDescription.contains("bodyCodecs") == true)
        #expect(try collection.bodyCompression() == .none)
    }

    @Test func `old revisions are compressed with a custom codec`() throws {
        let home = try TemporaryDirectory()
        let codec = TallyCodec()
        var config = DatabaseConfiguration.in(home)
        config.revisionCodecs = [RevisionCodec(number: 32, codec: codec)]
        config.revisionCompression = .codec(codec)
        let database = try Database(name: "a", config: config)
        defer { try? database.close() }
        let text = (0..<200).map { "word\($0 * 7_919 % 1_009)" }.joined(separator: " ")
        let conflicts = try KeptBody(in: database, text: text)
        #expect(codec.byteCounts.compressed > text.utf8.count)
        #expect(try conflicts.read(database).contains(text))
        #expect(codec.byteCounts.decompressed > text.utf8.count)
    }

    @Test(arguments: [
        [BodyCodec(number: 127, codec: InvertingCodec())],
        [BodyCodec(number: 2, codec: InvertingCodec())],
        [BodyCodec(number: 128, codec: InvertingCodec("lz4"))],
        [BodyCodec(number: 128, codec: InvertingCodec(""))],
        [
            BodyCodec(number: 128, codec: InvertingCodec("a")),
            BodyCodec(number: 128, codec: InvertingCodec("b")),
        ],
        [
            BodyCodec(number: 128, codec: InvertingCodec("a")),
            BodyCodec(number: 129, codec: InvertingCodec("A")),
        ],
    ])
    func `a database does not open with a codec whose name or number collides`(
        codecs: [BodyCodec]
    ) throws {
        let home = try TemporaryDirectory()
        var config = DatabaseConfiguration.in(home)
        config.bodyCodecs = codecs
        let first = #expect(throws: NSError.self) { try Database(name: "a", config: config) }
        #expect(first?.code == CBLError.invalidParameter)
        #expect(!Database.exists(withName: "a", inDirectory: home.path))
        let second = #expect(throws: NSError.self) { try Database.inMemory(config: config) }
        #expect(second?.code == CBLError.invalidParameter)
    }

    @Test func `a database does not open with an invalid codec of old revisions`() throws {
        var config = DatabaseConfiguration()
        config.revisionCodecs = [RevisionCodec(number: 1, codec: TallyCodec())]
        let taken = #expect(throws: NSError.self) { try Database.inMemory(config: config) }
        #expect(taken?.code == CBLError.invalidParameter)
        config.revisionCodecs = []
        config.revisionCompression = .codec(TallyCodec())
        let unknown = #expect(throws: NSError.self) { try Database.inMemory(config: config) }
        #expect(unknown?.code == CBLError.unsupported)
    }
}
