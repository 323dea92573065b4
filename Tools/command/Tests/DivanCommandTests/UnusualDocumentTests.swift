import CouchbaseLiteSwift
import DivanDatabase
import DivanRevisions
import DivanTestKit
import Foundation
import Testing

/// One list of unusual documents, imported in every way available to a person or a program: the same ones
/// are accepted and refused everywhere.
@Suite(.timeLimit(.minutes(5))) struct UnusualDocumentTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "db")
    }

    @Test(arguments: OddDocument.all)
    func `all commands accept or reject the same documents`(_ odd: OddDocument) throws {
        #expect(try save(odd.text) == odd.here, "save")
        for way in Way.allCases {
            let outcome = try bring(odd.text, by: way)
            let stored = try shell.divan("get", "db", "doc", "--raw")
            let body = stored.status == 0 ? String(stored.output.dropLast()) : nil
            #expect(body == odd.here, "\(way): \(outcome.errors)")
            #expect((outcome.status == 4) == (odd.here == nil), "\(way): \(outcome.errors)")
            if stored.status == 0 { try shell.run("rm", "db", "doc", "--purge") }
        }
    }

    /// Documents as a peer of another kind may have them, sent in all possible ways.
    @Test(arguments: ["pull", "push"])
    func `pull and push accept or reject the same documents`(_ verb: String) throws {
        let all = try fillPeer()
        let (active, passive) = verb == "pull" ? ("db", "peer") : ("peer", "db")
        let server = try shell.serve(passive, "--no-tls")
        let outcome = try shell.divan(verb, active, try server.url())
        server.stop()
        #expect(outcome.status == 8, "\(outcome.errors)")
        try expect(all) { outcome.errors.contains("\($0):") }
    }

    @Test(arguments: [ReplicatorType.pull, .push])
    func `a sync within one process accepts or rejects the same documents`(
        _ type: ReplicatorType
    ) async throws {
        let all = try fillPeer()
        let (mine, peer) = (try open(), try open("peer"))
        let (active, passive) = type == .pull ? (mine, peer) : (peer, mine)
        var configuration = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: try active.defaultCollection())],
            target: DatabaseEndpoint(database: passive)
        )
        configuration.replicatorType = type
        let replicator = Replicator(config: configuration)
        let events = replicator.documentReplicationStream
        replicator.start()
        var failed: Set<String> = []
        for await event in events {
            failed.formUnion(event.documents.filter { $0.error != nil }.map(\.id))
        }
        try mine.close()
        try peer.close()
        try expect(all) { failed.contains($0) }
    }

    private func fillPeer() throws -> [(id: String, odd: OddDocument)] {
        try shell.run("new", "peer")
        let all = OddDocument.all.enumerated().map { (id: "doc-\($0)", odd: $1) }
        try insert(all.map { ($0.id, $0.odd.text) }, into: "peer")
        return all
    }

    /// What arrived is stored as it should be, and what did not arrive was reported.
    private func expect(
        _ all: [(id: String, odd: OddDocument)],
        isTold: (String) -> Bool
    ) throws {
        for (id, odd) in all {
            let stored = try shell.divan("get", "db", id, "--raw")
            let body = stored.status == 0 ? String(stored.output.dropLast()) : nil
            #expect(body == odd.sent, "\(odd.testDescription)")
            #expect(isTold(id) == (odd.sent == nil), "\(odd.testDescription)")
        }
    }

    /// Stores bodies unchanged, as revisions of a peer.
    private func insert(_ documents: [(id: String, body: String)], into name: String) throws {
        let store = try Store.open(directory: shell.path(name + ".cblite2"))
        try store.write { writer in
            for document in documents {
                let revision = RemoteRevision(
                    documentID: DivanRevisions.DocumentID(unchecked: document.id),
                    revisionID: try #require(RevisionID("1-aa")),
                    body: Array(document.body.utf8)
                )
                _ = try writer.insert(revision, in: .default)
            }
        }
        try store.close()
    }

    @Test func `a document that is too large for peers is saved with a warning and not synced`()
        throws
    {
        let body = #"{"a":""# + String(repeating: "x", count: 21 << 20) + #""}"#
        let saved = try shell.divan("put", "db", "large", "-", input: body)
        #expect(
            saved.status == 0 && saved.errors.contains("but peers accept at most "),
            "\(saved.errors)"
        )
        try shell.run("put", "db", "small", "{}")
        try shell.run("new", "peer")
        let server = try shell.serve("peer", "--no-tls")
        let outcome = try shell.divan("push", "db", try server.url())
        server.stop()
        #expect(outcome.status == 8 && outcome.errors.contains("413"), "\(outcome.errors)")
        #expect(try shell.run("ls", "peer").output == "small\n")
    }

    /// Every way to write a single key.
    @Test(arguments: ["_id", "_rev", "_deleted", ""])
    func `an invalid key is rejected by all commands that write keys`(_ key: String) throws {
        try shell.run("put", "db", "doc", #"{"a":1}"#)
        try shell.write("photo.png", "png")
        let ways = [
            ["blob", "put", "db", "doc", key, "photo.png"],
            ["put", "db", "doc", "{}", "--blob", "\(key)=photo.png"],
        ]
        for way in ways {
            let outcome = try shell.divan(way)
            #expect(outcome.status == 4 || key.isEmpty && outcome.status == 2, "\(outcome.errors)")
        }
        let database = try open()
        let collection = try database.defaultCollection()
        let model = FreeModel(id: "doc", members: [key: 1])
        #expect(throws: (any Error).self) { try collection.save(from: model) }
        let document = try #require(try collection.document(id: "doc")?.toMutable())
        document.setInt(1, forKey: key)
        #expect(throws: (any Error).self) { try collection.save(document: document) }
        document.removeValue(forKey: key)
        try collection.save(document: document)
        try database.close()
        #expect(try shell.run("get", "db", "doc", "--raw").output == "{\"a\":1}\n")
    }

    private enum Way: String, CaseIterable {
        case put
        case importLines
        case importArray
        case edit
    }

    private func bring(_ text: String, by way: Way) throws -> Program.Outcome {
        let line = text == "{}" ? #"{"key":"doc"}"# : #"{"key":"doc","# + text.dropFirst()
        switch way {
        case .put: return try shell.divan("put", "db", "doc", "-", input: text)
        case .importLines:
            return try shell.divan("import", "db", "-", "--id-from", "key", input: line)
        case .importArray:
            return try shell.divan("import", "db", "-", "--id-from", "key", input: "[\(line)]")
        case .edit:
            try shell.write("text.json", text)
            let copy = "cp \(shell.path("text.json"))"
            return try shell.divan(
                ["edit", "db", "doc", "--create"],
                environment: ["EDITOR": copy, "VISUAL": "", "TMPDIR": shell.directory]
            )
        }
    }

    /// The result of the API's `save(document:)` for a text; `nil` if it is refused.
    private func save(_ text: String) throws -> String? {
        let database = try open()
        defer { try? database.close() }
        let collection = try database.defaultCollection()
        do {
            try collection.save(document: try MutableDocument(id: "doc", json: text))
        } catch let error as NSError
            where [CBLError.corruptRevisionData, CBLError.invalidJSON]
            .contains(error.code)
        {
            return nil
        }
        let saved = try #require(try collection.document(id: "doc"))
        try collection.purge(document: saved)
        return saved.toJSON()
    }

    private func open(_ name: String = "db") throws -> Database {
        var configuration = DatabaseConfiguration()
        configuration.directory = shell.directory
        return try Database(name: name, config: configuration)
    }
}

/// A model whose keys are chosen by the test.
private final class FreeModel: Encodable {
    @CouchbaseLiteSwift.DocumentID var id: String?
    let members: [String: Int]

    init(id: String, members: [String: Int]) {
        self.members = members
        _id = CouchbaseLiteSwift.DocumentID(wrappedValue: id)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FreeKey.self)
        try container.encode(_id, forKey: FreeKey("id"))
        for (key, value) in members { try container.encode(value, forKey: FreeKey(key)) }
    }
}

private struct FreeKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ text: String) { stringValue = text }

    init?(stringValue: String) { self.init(stringValue) }

    init?(intValue: Int) { nil }
}

/// A document that is unusual in one respect, and what becomes of it.
struct OddDocument: Sendable, CustomTestStringConvertible {
    let text: String
    /// The contents of a document created here from this text; `nil` if it is refused.
    let here: String?
    /// What is stored if a peer sends this text; `nil` if it is refused.
    let sent: String?

    var testDescription: String { String(text.prefix(40)) }

    private init(_ text: String, here: String?, sent: String?) {
        self.text = text
        self.here = here
        self.sent = sent
    }

    private static func refused(_ text: String) -> Self { Self(text, here: nil, sent: nil) }

    /// Stored unchanged, whatever its source.
    private static func kept(_ text: String) -> Self { Self(text, here: text, sent: text) }

    private static func made(_ text: String, into stored: String) -> Self {
        Self(text, here: stored, sent: stored)
    }

    static let all: [OddDocument] = [
        .kept("{}"), .kept(#"{"a":1}"#),
        // Keys that the protocol reserves.
        .refused(#"{"_id":"x","a":1}"#), .refused(#"{"_rev":"1-aa"}"#),
        .refused(#"{"_deleted":false,"a":1}"#), .refused(#"{"\u005fid":"x"}"#),
        .kept(#"{"a":{"_deleted":true,"_id":1,"_rev":2}}"#), .kept(#"{"ID":1,"id":2,"rev":3}"#),
        Self(#"{"_mine":1,"a":2}"#, here: #"{"_mine":1,"a":2}"#, sent: #"{"a":2}"#),
        // An empty key: not permitted here, but a peer may have one.
        Self(#"{"":1,"a":2}"#, here: nil, sent: #"{"":1,"a":2}"#), .kept(#"{"a":{"":1}}"#),
        // The last of equal keys counts.
        .made(#"{"a":1,"a":2}"#, into: #"{"a":2}"#),
        .made(#"{"b":0,"a":1,"\u0061":{"c":1,"b":2,"c":3}}"#, into: #"{"a":{"b":2,"c":3},"b":0}"#),
        .made(#"{"l":[{"x":1,"x":[]}]}"#, into: #"{"l":[{"x":[]}]}"#),
        .kept("{\"e\u{301}\":1,\"\u{E9}\":2}"),
        // Numbers keep their exact value.
        .kept(#"{"n":123456789012345678901234567890}"#),
        .kept(#"{"n":[-3.14159265358979323846264338,18446744073709551615,1e-400]}"#),
        .refused(#"{"n":1e999}"#), .refused(#"{"n":01}"#), .refused(#"{"n":NaN}"#),
        // A peer's spelling is kept, ours is canonical.
        Self(
            #"{"s":"\u003c\u2028","a":1E2}"#,
            here: "{\"a\":100.0,\"s\":\"<\u{2028}\"}",
            sent: #"{"s":"\u003c\u2028","a":1E2}"#
        ),
        .refused(#"{"s":"\ud800"}"#), .refused(#"{"a":1,}"#),
        .kept(nested(128)), .refused(nested(129)),
    ]

    private static func nested(_ depth: Int) -> String {
        #"{"a":"# + String(repeating: "[", count: depth - 1)
            + String(repeating: "]", count: depth - 1) + "}"
    }
}
