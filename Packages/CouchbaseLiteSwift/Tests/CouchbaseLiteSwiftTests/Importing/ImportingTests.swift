import CouchbaseLiteSwift
import DivanDatabase
import DivanDelta
import DivanJSON
import DivanLZ4
import DivanReplicator
import DivanRevisions
import DivanTestKit
import DivanZlib
import Foundation
import Testing

/// Couchbase Lite databases are imported with all of their content.
@Suite(.timeLimit(.minutes(5))) struct ImportingTests {
    private static let names = [
        "revtree-3.2", "vectors-4.1", "upgraded-4.1", "legacy-pulled-4.1", "copied-3.2",
        "manykeys-3.2", "hot-3.2", "hot-torn-3.2", "revtree-2.x", "damaged-3.2",
    ]

    private func imported(
        _ sample: ForeignSample,
        keepingIdentity: Bool = true
    ) throws -> (report: DatabaseImport, configuration: DatabaseConfiguration) {
        var configuration = DatabaseConfiguration()
        configuration.directory = sample.directory.path
        let report = try Database.importing(
            fromPath: sample.path,
            toDatabase: "new",
            withConfig: configuration,
            keepingIdentity: keepingIdentity
        )
        return (report, configuration)
    }

    @Test(arguments: ["mkfifo", "mkdir", "ln -s /dev/zero"])
    func `a blob that is not a regular file is missing, and everything else is imported`(
        _ command: String
    ) throws {
        let sample = try ForeignSample("revtree-3.2")
        let folder = sample.path + "/Attachments"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        let whole = try imported(sample).report
        try FileManager.default.removeItem(atPath: sample.directory.path + "/new.cblite2")
        for name in names { try FileManager.default.removeItem(atPath: "\(folder)/\(name)") }
        for name in names {
            let script = "\(command) '\(folder)/\(name)'"
            #expect(try Program("/bin/sh").run(["-c", script]).status == 0)
        }
        let report = try imported(sample).report
        #expect(report.documentCount == whole.documentCount && report.blobCount == 0)
        #expect(report.missingBlobs.count == whole.missingBlobs.count + whole.blobCount)
    }

    private func store(of sample: ForeignSample) throws -> Store {
        try Store.open(
            directory: sample.directory.path + "/new.cblite2",
            options: StoreOptions(
                create: false,
                readOnly: true,
                archive: BodyArchive(packing: .lz4, deflate: DeflateCodec(), lz4: LZ4Codec())
            )
        )
    }

    @Test(arguments: names)
    func `documents are imported with revision, history, sequence and content`(name: String) throws
    {
        let sample = try ForeignSample(name)
        let (report, configuration) = try imported(sample)
        let damagedCount = name == "damaged-3.2" ? 24 : 0
        #expect(report.damageCount == damagedCount)
        #expect(report.documentCount >= sample.documents.count)
        #expect(
            report.conflictCount
                == sample.documents.filter { $0["conflicted"]?.bool == true }.count
        )
        let store = try store(of: sample)
        defer { try? store.close() }
        let source = "\(store.source)"
        try store.read { reader in
            for expected in sample.documents {
                let path = try #require(CollectionPath(expected["c"]?.string ?? ""))
                let id = try DivanRevisions.DocumentID(checking: expected["id"]?.string ?? "")
                let found = try reader.document(id, in: path, includingTombstones: true)
                let document = try #require(found, "\(id)")
                let revision = (expected["rev"]?.string ?? "").replacing("@*", with: "@" + source)
                #expect("\(document.revisionID)" == revision, "\(id)")
                #expect(Int64(document.sequence) == expected["seq"]?.int, "\(id)")
                #expect(document.flags.contains(.tombstone) == expected["deleted"]?.bool, "\(id)")
                #expect(
                    document.flags.contains(.conflicted) == expected["conflicted"]?.bool,
                    "\(id)"
                )
                let expiration = expected["expiration"]?.int ?? 0
                #expect(try reader.expiration(of: id, in: path) ?? 0 == expiration, "\(id)")
                #expect(document.body == (try expected.canonicalBody()), "\(id)")
                try holdHistory(of: id, in: path, against: expected, reader)
            }
        }
        let database = try Database(name: "new", config: configuration)
        #expect(try database.defaultCollection().count > 0)
        try database.close()
    }

    /// The whole of a tree; for vectors, what each remote has.
    private func holdHistory(
        of id: DivanRevisions.DocumentID,
        in path: CollectionPath,
        against expected: JSONObject,
        _ reader: StoreReader
    ) throws {
        let history = try #require(try reader.revisions(of: id, in: path))
        for (remote, revision) in expected["remotes"]?.object ?? [:] {
            let latest = history.latest(at: RemoteID(rawValue: UInt32(remote) ?? 0))
            let isOwn = revision.string?.hasSuffix("@*") ?? false
            if !isOwn { #expect(latest.map { "\($0)" } == revision.string, "\(id)") }
            #expect(latest != nil, "\(id)")
        }
        guard expected["vector"] == nil, let tree = history as? RevisionTree else { return }
        let lineage = tree.current.map { tree.lineage(of: $0.id) } ?? []
        let text = lineage.map { "\($0.id)" }.joined(separator: ",")
        #expect(text == expected["history"]?.string, "\(id)")
        #expect(tree.revisions.count == expected["revs"]?.array?.count, "\(id)")
    }

    @Test
    func `an invalid or duplicate sequence counts as damage of its document`()
        throws
    {
        let sample = try ForeignSample("manykeys-3.2")
        let whole = try imported(sample).report
        try Store.delete(directory: sample.directory.path + "/new.cblite2")
        let python = try #require(Program.installed("python3"))
        let script = """
            import sqlite3
            c = sqlite3.connect('\(sample.path)/db.sqlite3')
            c.execute('PRAGMA journal_mode = DELETE')
            find = "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = 'kv_default' AND sql IS NOT NULL"
            for (name,) in c.execute(find).fetchall(): c.execute(f'DROP INDEX "{name}"')
            rows = [row[0] for row in c.execute('SELECT sequence FROM kv_default ORDER BY sequence').fetchall()]
            c.execute('UPDATE kv_default SET sequence = ? WHERE sequence = ?', (rows[1], rows[0]))
            c.execute('UPDATE kv_default SET sequence = ? WHERE sequence = ?', (1 << 62, rows[-1]))
            c.commit()
            c.close()
            """
        let outcome = try python.run(["-c", script])
        try #require(outcome.status == 0, "\(outcome.errors)")
        let (report, _) = try imported(sample)
        #expect(report.damageCount == 2)
        for problem in ["duplicate sequence ", "sequence: \(1 << 62) is too large"] {
            #expect(report.damages.count { $0.contains(problem) } == 1, "\(report.damages)")
        }
        #expect(report.documentCount == whole.documentCount - 2)
    }

    @Test
    func `a document in both the live and the deleted table is imported once and reported`()
        throws
    {
        let sample = try ForeignSample("manykeys-3.2")
        try RowDamage.edit(
            sample.path + "/db.sqlite3",
            """
            INSERT INTO kv_del_default (key, sequence, flags, version, body, extra)
            SELECT key, 9, flags, version, NULL, extra FROM kv_default WHERE key = 'many';
            """
        )
        let (report, _) = try imported(sample)
        #expect(report.documentCount == 3 && report.damageCount == 1)
        #expect(report.damages.first?.contains("is in two tables") == true)
    }

    @Test
    func `blobs are imported, and a missing one is reported`() throws {
        let sample = try ForeignSample("revtree-3.2")
        let (report, _) = try imported(sample)
        #expect(report.missingBlobs == ["sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA="])
        #expect(report.blobCount == 4)
        let store = try store(of: sample)
        defer { try? store.close() }
        let references = sample.documents.flatMap { $0["blobs"]?.array ?? [] }
        #expect(!references.isEmpty)
        for reference in references {
            let digest = try #require(BlobDigest(reference["digest"]?.string ?? ""))
            #expect(store.blobs.byteCount(digest).map { Int64($0) } == reference["length"]?.int)
        }
    }

    /// The sample synced 31 documents of a collection and 345 changes of another with this address.
    @Test
    func `replications continue from their checkpoints and do not push synced documents`() throws {
        let sample = try ForeignSample("revtree-3.2")
        let (report, configuration) = try imported(sample)
        #expect(report.remotes.contains("ws://127.0.0.1:4984/hub/_blipsync"))
        #expect(report.checkpointCount == 6)
        let store = try store(of: sample)
        var inputs = CheckpointID.Inputs(
            privateUUID: store.privateUUID,
            remoteIdentity: "ws://127.0.0.1:4984/hub/_blipsync"
        )
        inputs.pulls = true
        let checkpoint = try store.localCheckpoint(CheckpointID(inputs).description)
        #expect(checkpoint.map { Checkpoint(json: $0).completed.firstRangeEnd } == 345)
        try store.close()
        let database = try Database(name: "new", config: configuration)
        let collection = try database.defaultCollection()
        let url = try #require(URL(string: "ws://127.0.0.1:4984/hub"))
        let replicator = Replicator(
            config: ReplicatorConfiguration(
                collections: [CollectionConfiguration(collection: collection)],
                target: URLEndpoint(url: url)
            )
        )
        let pending = try replicator.pendingDocumentIds(collection: collection)
        let behind = sample.documents.filter { document in
            document["c"]?.string == "_default._default" && (document["seq"]?.int ?? 0) > 345
                && document["remotes"]?.object?["1"]?.string != document["rev"]?.string
        }.compactMap { $0["id"]?.string }
        #expect(pending.isSubset(of: Set(behind)))
        try database.close()
    }

    /// A peer offers a document once: behind a checkpoint it would not come again.
    @Test
    func `a lost document resets checkpoints but keeps the remote IDs`() throws {
        let sample = try ForeignSample("revtree-3.2")
        try RowDamage.edit(
            sample.path + "/db.sqlite3",
            #"UPDATE "kv_.notes" SET body = x'7F00' WHERE key = 'note'"#
        )
        let (report, _) = try imported(sample)
        #expect(report.lostCount == 1 && report.damageCount == 1)
        #expect(report.checkpointCount == 0 && report.remotes.isEmpty)
        let store = try store(of: sample)
        defer { try? store.close() }
        #expect(try store.localCheckpoint("cp-/+oObtYc0qZFPLXMzOgyM9xgByQ=") == nil)
        let remote = try store.remoteID(for: "ws://127.0.0.1:4984/hub/_blipsync")
        #expect(remote == RemoteID(rawValue: 1))
    }

    @Test
    func `a copy has its own identity and records where it comes from`() throws {
        let sample = try ForeignSample("manykeys-3.2")
        _ = try imported(sample, keepingIdentity: false)
        let copy = try store(of: sample)
        let identity = (copy.publicUUID, copy.privateUUID, copy.previousPrivateUUID)
        try copy.close()
        try Store.delete(directory: sample.directory.path + "/new.cblite2")
        _ = try imported(sample)
        let heir = try store(of: sample)
        #expect(identity.2 == heir.privateUUID)
        #expect(identity.0 != heir.publicUUID)
        #expect(identity.1 != heir.privateUUID)
        try heir.close()
    }

    /// Checkpoints came along that say how far the former one was pushed and pulled.
    @Test
    func `a recreated collection continues the sequences of the deleted one`() throws {
        let sample = try ForeignSample("revtree-3.2")
        let (_, configuration) = try imported(sample)
        let database = try Database(name: "new", config: configuration)
        let collection = try database.createCollection(name: "dropped", scope: "temp")
        let document = MutableDocument(id: "a")
        try collection.save(document: document)
        #expect(document.sequence == 2)
        try database.close()
        let store = try store(of: sample)
        defer { try? store.close() }
        #expect(try store.localCheckpoint("cp-/+oObtYc0qZFPLXMzOgyM9xgByQ=") == nil)
    }

    @Test
    func `imported documents can be edited`() throws {
        let sample = try ForeignSample("vectors-4.1")
        let (_, configuration) = try imported(sample)
        let database = try Database(name: "new", config: configuration)
        let collection = try database.defaultCollection()
        let last = sample.documents.filter { $0["c"]?.string == "_default._default" }
            .compactMap { $0["seq"]?.int }.max()
        let document = try #require(try collection.document(id: "empty")).toMutable()
        document.setInt(1, forKey: "n")
        try collection.save(document: document)
        #expect(Int64(document.sequence) > last ?? 0)
        try database.close()
    }

    @Test
    func
        `an existing name, a damaged file or a missing file is refused and nothing is left behind`()
        throws
    {
        let sample = try ForeignSample("truncated-3.2")
        #expect(throws: (any Error).self) { try imported(sample) }
        #expect(!FileManager.default.fileExists(atPath: sample.directory.path + "/new.cblite2"))
        let sound = try ForeignSample("manykeys-3.2")
        _ = try imported(sound)
        let error = #expect(throws: NSError.self) { try imported(sound) }
        #expect(error?.domain == NSPOSIXErrorDomain)
        let missing = #expect(throws: NSError.self) {
            try Database.importing(fromPath: "/nowhere.cblite2", toDatabase: "x")
        }
        #expect(missing?.code == CBLError.notFound)
    }

    @Test
    func `opening a Couchbase Lite database explains how to import it and does not change it`()
        throws
    {
        let sample = try ForeignSample("hot-3.2")
        var configuration = DatabaseConfiguration()
        configuration.directory = sample.directory.path
        let log = URL(filePath: sample.path + "/db.sqlite3-wal")
        let before = try Data(contentsOf: log)
        let error = #expect(throws: NSError.self) {
            try Database(name: "hot-3.2", config: configuration)
        }
        #expect(error?.code == CBLError.unreadableDatabase)
        #expect(error?.localizedDescription.contains("divan import-cblite") ?? false)
        #expect(try Data(contentsOf: log) == before)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: sample.path).sorted()
                == ["db.sqlite3", "db.sqlite3-wal"]
        )
    }
}

extension JSONObject {
    /// The expected body as canonical JSON, without values that JSON cannot express.
    fileprivate func canonicalBody() throws -> [UInt8] {
        try (self["body"] ?? .object([:])).withoutUndefined.canonicalBytes()
    }
}

extension JSON {
    fileprivate var withoutUndefined: JSON {
        switch self {
        case .array(let items):
            return .array(items.map { $0.isUndefined ? .null : $0.withoutUndefined })
        case .object(let members):
            var kept: JSONObject = [:]
            for (key, value) in members where !value.isUndefined {
                kept[key] = value.withoutUndefined
            }
            return .object(kept)
        default: return self
        }
    }

    private var isUndefined: Bool { object?["@undefined"]?.bool == true }
}
