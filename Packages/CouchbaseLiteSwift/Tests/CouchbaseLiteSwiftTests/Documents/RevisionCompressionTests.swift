import CouchbaseLiteSwift
import DivanDatabase
import DivanRevisions
import DivanTestKit
import Testing

/// Bodies of old revisions are compressed according to the setting and can be read with any other.
@Suite struct RevisionCompressionTests {
    private static let text = (0..<200).map { "word\($0 * 7_919 % 1_009)" }
        .joined(separator: " ")
    /// As a peer may send it: with a space, so that it is stored whole and not as a difference.
    private static let old = #"{ "text":"\#(text)"}"#

    private func oldBody(_ store: Store) throws -> String? {
        guard let old = RevisionID("1-aa") else { return nil }
        let found = try store.read { try $0.revision("doc", old, in: .default) }
        return found.map { String(decoding: $0.body, as: UTF8.self) }
    }

    /// Stores a peer's revision and a local change, through the open database's own store.
    private func fill(_ path: String) throws {
        let store = try Store.open(directory: path)
        defer { try? store.close() }
        try store.write { writer in
            let received = RemoteRevision(
                documentID: "doc",
                revisionID: try #require(RevisionID("1-aa")),
                body: Array(Self.old.utf8),
                remote: RemoteID(rawValue: 1)
            )
            _ = try writer.insert(received, in: .default)
            _ = try writer.save("doc", in: .default, body: Array(#"{"n":2}"#.utf8))
        }
    }

    @Test(arguments: RevisionCompression.allCases)
    func `an old revision is readable whatever its compression`(
        _ compression: RevisionCompression
    ) throws {
        let directory = try TemporaryDirectory()
        var config = DatabaseConfiguration.in(directory)
        config.revisionCompression = compression
        #expect(DatabaseConfiguration(config: config).revisionCompression == compression)
        let path = directory.file("db.cblite2")
        let database = try Database(name: "db", config: config)
        try fill(path)
        try database.close()

        // A store without codecs shows whether one was used.
        let bare = try Store.open(directory: path)
        if compression == .none {
            #expect(try oldBody(bare) == Self.old)
        } else {
            #expect(throws: StoreError.self) { try oldBody(bare) }
        }
        try bare.close()

        for other in RevisionCompression.allCases {
            config.revisionCompression = other
            let database = try Database(name: "db", config: config)
            let shared = try Store.open(directory: path)
            #expect(try oldBody(shared) == Self.old)
            try shared.close()
            try database.close()
        }
    }

    @Test func `old revisions are compressed with LZ4 by default`() {
        #expect(DatabaseConfiguration().revisionCompression == .lz4)
    }
}
