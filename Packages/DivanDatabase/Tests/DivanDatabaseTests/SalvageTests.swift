import DivanRevisions
import DivanSQLite
import DivanTestKit
import Foundation
import Testing

@testable import DivanDatabase
// The positions of pages are not public.
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// What can be read of a database whose first page, the one that lists the tables, is damaged.
@Suite struct SalvageTests {
    private static let pageByteCount = 8_192
    private let home: TemporaryDirectory
    private let people: CollectionPath

    init() throws {
        home = try TemporaryDirectory()
        people = try #require(CollectionPath("people"))
    }

    private var directory: String { home.file("a.cblite2") }
    private var file: URL { URL(filePath: directory + "/db.sqlite3") }

    /// Documents of two sizes in two collections, some of them changed and purged again, so that
    /// freed pages of rows still have their old contents.
    private func fill(_ collections: [CollectionPath], count: Int) throws {
        let store = try Store.open(directory: directory)
        for path in collections { try store.createCollection(path) }
        for (number, path) in collections.enumerated() {
            for round in 0..<3 {
                try store.write { writer in
                    for document in 0..<count where round == 0 || document % (round + 1) == 0 {
                        let body = Self.body(path, document, round, number == 0 ? 40 : 1_500)
                        let id = DocumentID(unchecked: "doc-\(document)")
                        _ = try writer.save(id, in: path, body: body)
                    }
                }
            }
            try store.write { writer in
                for document in stride(from: 0, to: count, by: 5) {
                    let id = DocumentID(unchecked: "doc-\(document)")
                    _ = try writer.purge(id, in: path)
                }
            }
        }
        try store.close()
    }

    private static func body(
        _ path: CollectionPath,
        _ number: Int,
        _ round: Int,
        _ length: Int
    ) -> [UInt8] {
        let filler = String(repeating: "x", count: length)
        return Array(#"{"in":"\#(path)","n":\#(number),"round":\#(round),"x":"\#(filler)"}"#.utf8)
    }

    private func overwrite(_ places: Range<Int>, with byte: UInt8 = 0x5A) throws {
        var bytes = try Data(contentsOf: file)
        for place in places.clamped(to: 0..<bytes.count) { bytes[place] = byte }
        try bytes.write(to: file)
    }

    private func contents(
        _ directory: String,
        _ path: CollectionPath
    ) throws -> [DocumentID: [UInt8]] {
        let store = try Store.open(directory: directory, options: StoreOptions(create: false))
        defer { try? store.close() }
        try store.checkIntegrity()
        return try store.read { reader in
            guard try reader.hasCollection(path) else { return [:] }
            let documents = try reader.documents(in: path, after: 0, limit: 10_000)
            return Dictionary(uniqueKeysWithValues: documents.map { ($0.documentID, $0.body) })
        }
    }

    private func rebuild(_ options: StoreOptions = StoreOptions()) throws -> Salvage {
        try Store.rebuild(
            directory: directory,
            by: home.file("new.cblite2"),
            keepingOldAt: { home.file("old-\($0).cblite2") },
            options: options,
            completing: { _ in }
        )
    }

    /// The file's header, the head of the schema, and both.
    @Test(arguments: [0..<100, 100..<200, 0..<400], [3, 400])
    func `two collections are recovered with all documents`(places: Range<Int>, count: Int) throws {
        try fill([.default, people], count: count)
        let before = try [CollectionPath.default, people].map { try contents(directory, $0) }
        try overwrite(places)
        #expect(throws: StoreError.self) { _ = try contents(directory, .default) }
        let salvage = try rebuild()
        #expect(salvage.losses == [])
        #expect(salvage.documentCount == before.map(\.count).reduce(0, +))
        #expect(try contents(directory, .default) == before[0])
        #expect(try contents(directory, people) == before[1])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: home.path).sorted() == [
                "a.cblite2", "old-1.cblite2",
            ]
        )
    }

    @Test(arguments: [UInt8(0), 0x5A, 0xFF])
    func `a single collection is recovered without any schema`(byte: UInt8) throws {
        try fill([.default], count: 400)
        let before = try contents(directory, .default)
        try overwrite(0..<Self.pageByteCount, with: byte)
        let salvage = try rebuild()
        #expect(salvage.losses == [])
        #expect(try contents(directory, .default) == before)
    }

    /// Nothing says which tree belongs to which, and a guess would put documents into the wrong collection.
    @Test func `collections that cannot be distinguished are reported`() throws {
        try fill([.default, people], count: 400)
        try overwrite(0..<Self.pageByteCount)
        let salvage = try rebuild()
        #expect(salvage.documentCount == 0)
        let reasons = salvage.losses.filter { $0.contains("its pages cannot be identified") }
        #expect(reasons.count == 2)
        #expect(reasons.contains { $0.contains("people") })
        let counts = salvage.losses.filter { $0.contains("320 documents of _default.") }
        #expect(counts.count == 2 && salvage.losses.count == 4)
    }

    /// They are in the table of small values, and no document needs them.
    @Test func `damaged remote marks do not lose documents`() throws {
        try fill([.default], count: 40)
        let store = try Store.open(directory: directory)
        let remote = try store.remoteID(for: "ws://there/db")
        let sequences = try store.read { try $0.documents(in: .default, after: 0, limit: 100) }
        try store.write { writer in
            let known = sequences.map {
                KnownRevision(
                    documentID: $0.documentID,
                    revisionID: $0.revisionID,
                    sequence: $0.sequence,
                    feedEnd: sequences.last?.sequence ?? 0
                )
            }
            try writer.markKnown(known, at: remote, in: .default)
        }
        try store.close()
        let before = try contents(directory, .default)
        try StoreConnection(path: file.path, mode: .readWrite).execute(
            "UPDATE \"values\" SET value = x'00FF00' WHERE space = 'knownSequences'"
        )
        let salvage = try rebuild()
        #expect(salvage.losses == [])
        #expect(salvage.documentCount == before.count)
        #expect(try contents(directory, .default) == before)
    }

    /// In a sealed database such a blob does not become another one: it becomes unreadable.
    @Test func `an unreadable blob does not lose documents`() throws {
        let options = StoreOptions(sealing: try TestSealing(1))
        let store = try Store.open(directory: directory, options: options)
        let large = [UInt8](repeating: 7, count: 240_000)
        let (lost, kept) = (try store.blobs.write(large), try store.blobs.write([1, 2, 3]))
        try store.write { writer in
            for (id, digest, count) in [("a", lost, large.count), ("b", kept, 3)] {
                let body = #"{"b":{"@type":"blob","digest":"\#(digest)","length":\#(count)}}"#
                let id = DocumentID(unchecked: id)
                _ = try writer.save(id, in: .default, body: Array(body.utf8), hasBlobs: true)
            }
        }
        try store.close()
        let content = URL(filePath: "\(directory)/Attachments/\(lost.fileName)")
        var bytes = try Data(contentsOf: content)
        bytes[100_000] ^= 1
        try FileManager.default.removeItem(at: content)
        try bytes.write(to: content)
        let other = home.file("again.cblite2")
        try FileManager.default.copyItem(atPath: directory, toPath: other)
        let brought = try Store.rebuild(
            directory: other,
            by: home.file("again-new.cblite2"),
            keepingOldAt: { home.file("again-old-\($0).cblite2") },
            options: options,
            completing: { _ in
                let made = try Store.open(
                    directory: home.file("again-new.cblite2"),
                    options: options
                )
                _ = try made.blobs.write(large)
                try made.close()
            }
        )
        #expect(brought.losses == [])
        let salvage = try rebuild(options)
        #expect(salvage.documentCount == 2)
        #expect(salvage.losses == ["the content of blob \(lost)"])
        let made = try Store.open(directory: directory, options: options)
        defer { try? made.close() }
        #expect(try made.blobs.reader(kept).read(upTo: 10) == [1, 2, 3])
        #expect(!made.blobs.contains(lost))
    }

    /// Neither a copy of the file with a new first page, nor one with a new top of a tree, has blobs next to
    /// it; a crash after a change of the key leaves them under another name.
    @Test(arguments: [false, true], [false, true])
    func `blobs are recovered when a copy of the file is read`(
        isFirstPage: Bool,
        areMoved: Bool
    ) throws {
        try fill([.default, people], count: 400)
        let store = try Store.open(directory: directory)
        let digest = try store.blobs.write([1, 2, 3])
        try store.write { writer in
            let body = #"{"b":{"@type":"blob","digest":"\#(digest)","length":3}}"#
            _ = try writer.save("named", in: people, body: Array(body.utf8), hasBlobs: true)
        }
        try store.close()
        if isFirstPage {
            try overwrite(0..<400)
        } else {
            try overwritePage(root(of: 1))
        }
        if areMoved {
            let blobs = directory + "/Attachments"
            try FileManager.default.moveItem(atPath: blobs, toPath: blobs + "-rekey")
        }
        #expect(try rebuild().losses == [])
        let made = try Store.open(directory: directory)
        defer { try? made.close() }
        #expect(try made.read { try $0.document("named", in: people) } != nil)
        #expect(try made.blobs.read(digest) == [1, 2, 3])
    }

    private func root(of collection: Int64) throws -> Int {
        let connection = try StoreConnection(path: file.path, mode: .readOnly)
        let sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'docs_\(collection)'"
        return Int(try connection.integer(sql) ?? 0)
    }

    private func overwritePage(_ number: Int) throws {
        let start = (number - 1) * Self.pageByteCount
        try overwrite(start..<start + Self.pageByteCount)
    }

    /// The collections have ten and a hundred pages of documents.
    @Test(arguments: [Int64(1), 2])
    func `a damaged root page of a collection is rebuilt from its other pages`(lost: Int64) throws {
        try fill([.default, people], count: 400)
        let before = try [CollectionPath.default, people].map { try contents(directory, $0) }
        try overwritePage(root(of: lost))
        let salvage = try rebuild()
        #expect(salvage.losses == [])
        #expect(try contents(directory, .default) == before[0])
        #expect(try contents(directory, people) == before[1])
    }

    @Test func `if two collections lose their root pages the third keeps its documents`() throws {
        let animals = try #require(CollectionPath("animals"))
        try fill([.default, people, animals], count: 400)
        let before = try contents(directory, animals)
        try overwritePage(root(of: 1))
        try overwritePage(root(of: 2))
        _ = try rebuild()
        #expect(try contents(directory, animals) == before)
        #expect(try contents(directory, .default).isEmpty)
        #expect(try contents(directory, people).isEmpty)
    }

    /// Commits that are only in the log are read, too.
    @Test func `commits in the write-ahead log are recovered`() throws {
        try fill([.default], count: 50)
        let store = try Store.open(directory: directory)
        let body = Array(#"{"n":"late"}"#.utf8)
        _ = try store.save("late", in: .default, body: body)
        // As a crash leaves it.
        let copy = home.file("crashed.cblite2")
        try FileManager.default.copyItem(atPath: directory, toPath: copy)
        try store.close()
        try FileManager.default.removeItem(atPath: directory)
        try FileManager.default.moveItem(atPath: copy, toPath: directory)
        try overwrite(0..<100)
        _ = try rebuild()
        #expect(try contents(directory, .default)["late"] == body)
    }

    /// Whatever the damage, the result contains only what was stored, and lacks the rest.
    @Test(arguments: UInt64(0)..<TestLength.of(6, long: 24))
    func `overwritten pages never produce documents that were not stored`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        try fill([.default, people], count: 200)
        let before = try [CollectionPath.default, people].map { try contents(directory, $0) }
        if seed % 2 == 0 {
            try overwrite(0..<Int.random(in: 1...Self.pageByteCount, using: &generator))
        } else {
            try overwritePage(root(of: Int64.random(in: 1...2, using: &generator)))
        }
        let byteCount = try Data(contentsOf: file).count
        for _ in 0..<Int.random(in: 0...6, using: &generator) {
            let start = Int.random(in: 100..<byteCount, using: &generator)
            let count = Int.random(in: 1...6_000, using: &generator)
            try overwrite(start..<start + count, with: UInt8.random(in: 0...255, using: &generator))
        }
        _ = try rebuild()
        for (path, stored) in zip([CollectionPath.default, people], before) {
            for (id, body) in try contents(directory, path) {
                let rounds = (0..<3).flatMap { round in
                    [40, 1_500].map { length in
                        let number = Int(id.text.dropFirst(4)) ?? -1
                        return Self.body(path, number, round, length)
                    }
                }
                #expect(stored[id] == body || rounds.contains(body), "seed \(seed), \(id)")
            }
        }
    }
}
