import DivanCBLite
import DivanCrypto
import DivanJSON
import DivanPlatform
import DivanRevisions
import DivanTestKit
import Foundation
import Testing

/// Every sample is read as the engine reads it: revisions, bodies, remotes, checkpoints.
@Suite struct SampleTests {
    private func documents(
        of bundle: CBLiteBundle
    ) throws -> [String: Result<ForeignDocument, RecordDamage>] {
        let owner = try #require(SourceID(bytes: bundle.facts.publicUUID))
        let reader = RecordReader(keys: bundle.facts.keys, owner: owner)
        var documents: [String: Result<ForeignDocument, RecordDamage>] = [:]
        for collection in bundle.collections {
            try bundle.forEachRecord(in: collection) { record in
                let id = String(decoding: record.key, as: UTF8.self)
                documents["\(collection.scope).\(collection.name) \(id)"] = Result {
                    () throws(RecordDamage) in try reader.document(record)
                }
            }
        }
        return documents
    }

    @Test(arguments: Sample.whole)
    func `every document has the same revisions and bodies as in the engine`(name: String) throws {
        let sample = try Sample(name)
        let bundle = try CBLiteBundle(directory: sample.path)
        let source = try #require(SourceID(bytes: bundle.facts.publicUUID)).description
        let found = try documents(of: bundle)
        #expect(!sample.documents.isEmpty)
        for expected in sample.documents {
            let key = "\(expected["c"]?.string ?? "") \(expected["id"]?.string ?? "")"
            guard case .success(let document)? = found[key] else {
                Issue.record("\(key): \(String(describing: found[key]))")
                continue
            }
            let checker = DocumentChecker(document, expected, source: source)
            #expect(try checker.differences() == [], "\(key)")
        }
    }

    @Test
    func `damaged records are reported and do not stop the others`() throws {
        let sample = try Sample("damaged-3.2")
        let found = try documents(of: CBLiteBundle(directory: sample.path))
        for expected in sample.expected {
            guard let damage = expected["damage"]?.string, let id = expected["id"]?.string,
                id.hasPrefix("bad")
            else { continue }
            switch found["_default._default \(id)"] {
            case .success(let document)?:
                // Only the past is damaged: the current revision is intact.
                #expect(document.damage != nil, "\(id), \(damage)")
                #expect(damage.hasPrefix("extra"), "\(id), \(damage)")
            case .failure(let told)?:
                #expect(!told.description.isEmpty)
                #expect(!damage.hasPrefix("extra"), "\(id), \(damage)")
            case nil: Issue.record("\(id) is not found")
            }
        }
    }

    @Test(arguments: Sample.whole)
    func `metadata and checkpoints are the same as in the engine`(name: String) throws {
        let sample = try Sample(name)
        let bundle = try CBLiteBundle(directory: sample.path)
        let database = sample.database
        #expect(bundle.facts.publicUUID.hexText == database["publicUUID"]?.string)
        #expect(bundle.facts.privateUUID.hexText == database["privateUUID"]?.string)
        #expect((bundle.facts.scheme == .vectors) == name.hasSuffix("4.1"))
        var remotes: [String: String] = [:]
        for (address, id) in bundle.facts.remotes { remotes["\(id.rawValue)"] = address }
        for (id, address) in database["remotes"]?.object ?? [:] {
            #expect(remotes[id] == address.string)
        }
        let collections = database["collections"]?.object ?? [:]
        #expect(collections.count == bundle.collections.count)
        for collection in bundle.collections {
            let told = collections["\(collection.scope).\(collection.name)"]?.object
            #expect(told?["lastSequence"]?.int == Int64(collection.lastSequence))
        }
        let own = sample.expected.compactMap { $0["checkpoints"]?.object?["id"]?.string }
        #expect(try bundle.checkpoints().map(\.id).sorted() == own.sorted())
        for told in sample.expected.compactMap({ $0["peerCheckpoints"]?.object }) {
            let found = try bundle.peerCheckpoints().first { $0.id == told["id"]?.string }
            #expect(found?.revision == told["rev"]?.string)
        }
    }

    @Test
    func `nothing is written to a bundle with a log`() throws {
        let sample = try Sample("hot-3.2")
        let log = sample.path + "/db.sqlite3-wal"
        let before = try contents(log)
        _ = try documents(of: CBLiteBundle(directory: sample.path))
        #expect(try contents(log) == before)
        #expect(
            Program.installed("ls").map { try? $0.run([sample.path]).lines } == [
                "db.sqlite3", "db.sqlite3-wal",
            ]
        )
    }

    /// A part of a mapped file that is gone ends the process (SIGBUS), and no error is told.
    @Test func `a file that is truncated while it is read is reported`() throws {
        let sample = try Sample("revtree-3.2")
        let bundle = try CBLiteBundle(directory: sample.path)
        let standard = try #require(bundle.collections.first { $0.name == "_default" })
        let error = #expect(throws: CBLiteError.self) {
            try bundle.forEachRecord(in: standard) { _ in
                try? FileSystem.truncate(sample.path + "/db.sqlite3", to: 4_096)
            }
        }
        #expect(error == .inUse)
        #expect(throws: CBLiteError.self) { try bundle.checkpoints() }
    }

    /// A combining accent makes another character of the sign before it, but no other path.
    @Test(arguments: ["what?\u{301}", "a#\u{301}b", "100%\u{301}25"])
    func `a bundle is read from a folder whose name has URI characters`(name: String) throws {
        let sample = try Sample("manykeys-3.2")
        let home = try TemporaryDirectory()
        let path = home.file("\(name).cblite2")
        try FileManager.default.copyItem(atPath: sample.path, toPath: path)
        let count = try documents(of: CBLiteBundle(directory: sample.path)).count
        #expect(try documents(of: CBLiteBundle(directory: path)).count == count)
    }

    private func contents(_ path: String) throws -> String {
        try #require(Program.installed("sha1sum")).run([path]).output
    }

    /// Which of the two is the later row, by their sequences.
    @Test(arguments: [5, 20])
    func `of a document in two tables the later row is used, and the other is reported`(
        sequence: Int
    ) throws {
        let sample = try Sample("manykeys-3.2")
        try RowDamage.edit(
            sample.path + "/db.sqlite3",
            """
            UPDATE kv_default SET sequence = sequence + 10;
            INSERT INTO kv_del_default (key, sequence, flags, version, body, extra)
            SELECT key, \(sequence), flags, version, NULL, extra FROM kv_default WHERE key = 'many';
            """
        )
        let bundle = try CBLiteBundle(directory: sample.path)
        let reader = RecordReader(keys: bundle.facts.keys, owner: .me)
        let standard = try #require(bundle.collections.first)
        var kept: [UInt64] = []
        var told: [String] = []
        try bundle.forEachRecord(in: standard) { record in
            guard record.key == Array("many".utf8) else { return }
            do throws(RecordDamage) {
                kept.append(try reader.document(record).sequence)
            } catch {
                told.append(error.description)
            }
        }
        #expect(kept == [UInt64(max(sequence, 12))])
        #expect(told.count == 1 && told.first?.hasPrefix("sequence: ") == true, "\(told)")
    }

    /// A document of a sample with an older body, and a reader for it.
    private func movedOn(_ name: String) throws -> (Record, RecordReader) {
        let sample = try Sample(name)
        let bundle = try CBLiteBundle(directory: sample.path)
        let standard = try #require(bundle.collections.first { $0.name == "_default" })
        var found: Record?
        try bundle.forEachRecord(in: standard) { record in
            if record.key == Array("moved-on".utf8) { found = record }
        }
        return (try #require(found), RecordReader(keys: bundle.facts.keys, owner: .me))
    }

    /// Release 2 keeps all bodies in one column, the current one first.
    @Test(arguments: [(0xF7, true), (0x71, false)])
    func `a damaged older body of release 2 does not affect the current revision`(
        place: Int,
        isPast: Bool
    ) throws {
        let (found, reader) = try movedOn("revtree-2.x")
        var record = found
        let whole = try reader.document(record)
        // Where a body points to its root: that of 1-f991…, and that of the current revision.
        record.body?[place] = 0x7F
        guard isPast else {
            #expect(throws: RecordDamage.self) { try reader.document(record) }
            return
        }
        let document = try reader.document(record)
        #expect(document.current?.id == whole.current?.id)
        #expect(document.current?.body == whole.current?.body)
        #expect(document.damage?.description.hasPrefix("body, past: ") == true)
    }

    @Test func `a damaged older body does not affect the current revision`() throws {
        let (found, reader) = try movedOn("revtree-3.2")
        var record = found
        let whole = try reader.document(record)
        // Where the body of 1-f991… points to its root.
        record.extra?[0xA3] = 0x7F
        let document = try reader.document(record)
        #expect(document.current?.id == whole.current?.id)
        #expect(document.current?.body == whole.current?.body)
        #expect(document.damage?.description.hasPrefix("extra: ") == true)
    }
}
