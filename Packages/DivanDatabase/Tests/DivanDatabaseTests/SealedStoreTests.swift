import DivanPlatform
import DivanRevisions
import DivanSQLite
import DivanTestKit
import Foundation
import Synchronization
import Testing

@testable import DivanDatabase
// A change of the key that stops in the middle cannot be made by public calls.
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// Keys of databases: what each opens, and what a change leaves at each moment.
struct SealedStoreTests {
    private static let content = Array(String(repeating: "pomegranate ", count: 20_000).utf8)
    private static let documentCount = 200

    private static func options(_ key: UInt8?) throws -> StoreOptions {
        StoreOptions(sealing: try key.map { try TestSealing($0) })
    }

    /// A database with documents, an index and a blob.
    private static func make(_ path: String, key: UInt8?) throws {
        let store = try Store.open(directory: path, options: try options(key))
        defer { try? store.close() }
        let digest = try store.blobs.write(content)
        try store.write { writer in
            for number in 0..<documentCount {
                let body =
                    #"{"n":\#(number),"word":"pomegranate","b":{"@type":"blob","#
                    + #""digest":"\#(digest)","length":\#(content.count)}}"#
                _ = try writer.save(
                    DocumentID(checking: "d\(number)"),
                    in: .default,
                    body: Array(body.utf8),
                    hasBlobs: true
                )
            }
        }
    }

    /// Opens a database and finds everything in it; otherwise returns the code of the error.
    private static func refusal(_ path: String, key: UInt8?) throws -> StoreError.Code? {
        try DivanDatabaseTests.refusal {
            let store = try Store.open(directory: path, options: try options(key))
            defer { try? store.close() }
            #expect(try store.read { try $0.count(in: .default) } == documentCount)
            #expect(try store.blobs.read(BlobDigest(hashing: content.span)) == content)
            if let damage = try store.inspect().damages.first {
                throw StoreError(.corrupt(damage.description))
            }
            try store.checkIntegrity()
        }
    }

    private static func isCorrupt(_ code: StoreError.Code?) -> Bool {
        if case .corrupt = code { true } else { false }
    }

    private static func isNoDatabase(_ code: StoreError.Code?) -> Bool {
        if case .notADatabase = code { true } else { false }
    }

    private static func words(in directory: String) throws -> Bool {
        for case let name as String in try #require(
            FileManager.default.enumerator(atPath: directory)
        ) {
            let data = FileManager.default.contents(atPath: directory + "/" + name)
            if data?.range(of: Data("pomegranate".utf8)) != nil { return true }
        }
        return false
    }

    @Test func `only the right key opens a database`() throws {
        let home = try TemporaryDirectory()
        let (sealed, plain) = (home.file("a.cblite2"), home.file("b.cblite2"))
        try Self.make(sealed, key: 1)
        try Self.make(plain, key: nil)
        #expect(try Self.refusal(sealed, key: 1) == nil)
        #expect(try Self.refusal(plain, key: nil) == nil)
        #expect(Self.isNoDatabase(try Self.refusal(sealed, key: 2)))
        #expect(Self.isNoDatabase(try Self.refusal(sealed, key: nil)))
        #expect(Self.isNoDatabase(try Self.refusal(plain, key: 1)))
        #expect(try Self.refusal(sealed, key: 1) == nil)
        #expect(try !Self.words(in: sealed))
        #expect(try Self.words(in: plain))
        try Store.delete(directory: sealed)
        try Self.make(sealed, key: nil)
        #expect(Self.isNoDatabase(try Self.refusal(sealed, key: 1)))
        #expect(try Self.refusal(sealed, key: nil) == nil)
    }

    @Test func `another owner needs the same key`() throws {
        let home = try TemporaryDirectory()
        let path = home.file("a.cblite2")
        try Self.make(path, key: 1)
        let store = try Store.open(directory: path, options: try Self.options(1))
        defer { try? store.close() }
        #expect(Self.isNoDatabase(try Self.refusal(path, key: 2)))
        #expect(Self.isNoDatabase(try Self.refusal(path, key: nil)))
        #expect(try Self.refusal(path, key: 1) == nil)
    }

    @Test(arguments: [(nil, 1), (1, 2), (1, 1), (1, nil), (nil, nil)] as [(UInt8?, UInt8?)])
    func `a key change keeps all data`(old: UInt8?, new: UInt8?) throws {
        let home = try TemporaryDirectory()
        let path = home.file("a.cblite2")
        try Self.make(path, key: old)
        do {
            let store = try Store.open(directory: path, options: try Self.options(old))
            defer { try? store.close() }
            let reading = try store.read { try $0.count(in: .default) }
            try store.changeSealing(to: try Self.options(new).sealing)
            // The same objects continue with the new key.
            #expect(try store.read { try $0.count(in: .default) } == reading)
            #expect(try store.blobs.read(BlobDigest(hashing: Self.content.span)) == Self.content)
            _ = try store.save("d0", in: .default, body: Array(#"{"n":-1}"#.utf8))
            let later = try store.blobs.write([1, 2, 3])
            #expect(try store.blobs.read(later) == [1, 2, 3])
            try store.checkIntegrity()
        }
        #expect(try entries(path) == ["Attachments", "db.sqlite3", "lock"])
        #expect(try Self.refusal(path, key: new) == nil)
        if old != new { #expect(Self.isNoDatabase(try Self.refusal(path, key: old))) }
        #expect(try Self.words(in: path) == (new == nil))
    }

    @Test func `the key cannot be changed while the database is used elsewhere`() throws {
        let home = try TemporaryDirectory()
        let path = home.file("a.cblite2")
        try Self.make(path, key: 1)
        let store = try Store.open(directory: path, options: try Self.options(1))
        defer { try? store.close() }
        let key = try Self.options(2).sealing
        let second = try Store.open(directory: path, options: try Self.options(1))
        #expect(
            try DivanDatabaseTests.refusal { try store.changeSealing(to: key) }
                == .busy(.thisProcess(ownerCount: 2))
        )
        try second.close()
        let inside = try DivanDatabaseTests.refusal {
            try store.write { _ in try store.changeSealing(to: key) }
        }
        #expect(inside == .busy(.thisProcess(ownerCount: 1)))
        let writer = try store.blobs.writer()
        #expect(
            try DivanDatabaseTests.refusal { try store.changeSealing(to: key) }
                == .busy(.thisProcess(ownerCount: 1))
        )
        writer.cancel()
        // As another process would have it open.
        let connection = try StoreConnection(
            DatabaseFileLocation(path + "/db.sqlite3", sealing: try TestSealing(1)),
            mode: .readOnly
        )
        #expect(try connection.integer("SELECT count(*) FROM collections") == 1)
        #expect(
            try DivanDatabaseTests.refusal { try store.changeSealing(to: key) }
                == .busy(.otherProcess)
        )
        withExtendedLifetime(connection) {}
        _ = try store.save("later", in: .default, body: Array("{}".utf8))
        #expect(try entries(path).filter { $0.contains("rekey") } == [])
    }

    @Test func `an interrupted key change leaves a database that opens with exactly one key`()
        throws
    {
        for moment in 0..<6 {
            let home = try TemporaryDirectory()
            let path = home.file("a.cblite2")
            try Self.make(path, key: 1)
            try Self.interrupt(path, at: moment)
            let (right, wrong): (UInt8, UInt8) = moment < 3 ? (1, 2) : (2, 1)
            #expect(Self.isNoDatabase(try Self.refusal(path, key: wrong)), "moment \(moment)")
            #expect(try Self.refusal(path, key: right) == nil, "moment \(moment)")
            #expect(try entries(path) == ["Attachments", "db.sqlite3", "lock"])
        }
    }

    @Test(arguments: 3..<6)
    func `a read-only copy finds blobs that an interrupted key change has not moved yet`(
        moment: Int
    ) throws {
        let home = try TemporaryDirectory()
        let (path, target) = (home.file("a.cblite2"), home.file("b.cblite2"))
        try Self.make(path, key: 1)
        try Self.interrupt(path, at: moment)
        // So that the database is only read, as without write permission: nobody finishes the change.
        let lock = try FileDescriptor.open(path + "/lock", .readWrite)
        try lock.lock(waits: true)
        defer { lock.close() }
        try Store.copy(directory: path, to: target, sealing: try TestSealing(2))
        #expect(try Self.refusal(target, key: 2) == nil)
    }

    /// Changes the key from 1 to 2 and stops after a number of steps.
    private static func interrupt(_ path: String, at moment: Int) throws {
        let files = BundleFiles(directory: path)
        let (old, new) = (try TestSealing(1), try TestSealing(2))
        let rekeying = Rekeying(files)
        let engine = try SQLiteEngine(
            DatabaseFileLocation(files.database, sealing: old),
            isReadOnly: false,
            syncsFully: false
        )
        struct Stop: Error {}
        do {
            try rekeying.prepare(from: old, to: new) { target in
                if moment == 0 { throw Stop() }
                try engine.rewrite(to: target)
                if moment == 1 { throw Stop() }
            }
        } catch is Stop {}
        engine.close()
        guard moment >= 3 else { return }
        try rekeying.commit()
        if moment == 4 { try StoreFiles.move(files.blobs, to: files.formerBlobs) }
        if moment == 5 {
            try StoreFiles.move(files.blobs, to: files.formerBlobs)
            try StoreFiles.move(files.rekeyedBlobs, to: files.blobs)
        }
    }

    @Test(arguments: [(nil, 1), (1, 2), (1, nil)] as [(UInt8?, UInt8?)])
    func `a directory that cannot be synced leaves the old or the new key`(
        old: UInt8?,
        new: UInt8?
    ) throws {
        var (failing, count) = (0, 0)
        repeat {
            failing += 1
            let home = try TemporaryDirectory()
            let path = home.file("a.cblite2")
            try Self.make(path, key: old)
            let store = try Store.open(directory: path, options: try Self.options(old))
            let calls = Mutex(0)
            let (fails, key) = (failing, try Self.options(new).sealing)
            let code = try DivanDatabaseTests.refusal {
                try store.changeSealing(to: key) { directory throws(StoreError) in
                    let number = calls.withLock { count in
                        count += 1
                        return count
                    }
                    if number == fails { throw StoreError(.io(.ioError), at: directory) }
                    try StoreFiles.syncDirectory(directory)
                }
            }
            count = calls.withLock { $0 }
            let digest = BlobDigest(hashing: Self.content.span)
            #expect(try store.blobs.read(digest) == Self.content, "sync \(fails)")
            _ = try store.save("d0", in: .default, body: Array(#"{"n":-1}"#.utf8))
            try store.close()
            let (right, wrong) = code == nil ? (new, old) : (old, new)
            #expect(try Self.refusal(path, key: right) == nil, "sync \(fails)")
            #expect(Self.isNoDatabase(try Self.refusal(path, key: wrong)), "sync \(fails)")
            #expect(try entries(path) == ["Attachments", "db.sqlite3", "lock"])
        } while failing <= count
        #expect(count == 5)
    }

    @Test func `a copy has the same key as its source`() throws {
        let home = try TemporaryDirectory()
        let (path, target) = (home.file("a.cblite2"), home.file("b.cblite2"))
        try Self.make(path, key: 1)
        let other = try DivanDatabaseTests.refusal {
            try Store.copy(directory: path, to: target, sealing: try TestSealing(2))
        }
        #expect(Self.isNoDatabase(other))
        try Store.copy(directory: path, to: target, sealing: try TestSealing(1))
        #expect(try Self.refusal(target, key: 1) == nil)
        #expect(try !Self.words(in: target))
        // While another process writes, it is read.
        let lock = try FileDescriptor.open(path + "/lock", .readWrite)
        try lock.lock(waits: true)
        let beside = home.file("c.cblite2")
        try Store.copy(directory: path, to: beside, sealing: try TestSealing(1))
        lock.close()
        #expect(try Self.refusal(beside, key: 1) == nil)
    }

    @Test func `part of a blob is read without the rest`() throws {
        let home = try TemporaryDirectory()
        let path = home.file("a.cblite2")
        try Self.make(path, key: 1)
        let store = try Store.open(directory: path, options: try Self.options(1))
        defer { try? store.close() }
        let reader = try store.blobs.reader(BlobDigest(hashing: Self.content.span))
        #expect(reader.byteCount == Self.content.count)
        for start in [0, 1, 65_535, 65_536, 100_000, Self.content.count - 5, Self.content.count] {
            reader.seek(to: start)
            var found: [UInt8] = []
            while found.count < 100, case let piece = try reader.read(upTo: 100 - found.count),
                !piece.isEmpty
            {
                found += piece
            }
            #expect(found == Array(Self.content[start...].prefix(100)))
        }
        for limit in [1, 65_535, 65_536, 65_537, 131_072, 200_000, 1 << 20, .max] {
            for start in [0, 10, 65_536, 131_072, Self.content.count - 1, Self.content.count] {
                reader.seek(to: start)
                var found: [UInt8] = []
                while case let piece = try reader.read(upTo: limit), !piece.isEmpty {
                    #expect(piece.count <= limit)
                    found += piece
                    if limit == 1, found.count == 3 { break }
                }
                #expect(found == Array(Self.content[start...].prefix(limit == 1 ? 3 : .max)))
            }
        }
    }

    @Test func `a modified chunk is rejected, however it is read`() throws {
        let home = try TemporaryDirectory()
        let path = home.file("a.cblite2")
        try Self.make(path, key: 1)
        let digest = BlobDigest(hashing: Self.content.span)
        let file = URL(fileURLWithPath: "\(path)/Attachments/\(digest.fileName)")
        var bytes = try Data(contentsOf: file)
        bytes[24 + 65_552 + 100] ^= 1  // in the second chunk
        try FileManager.default.removeItem(at: file)
        try bytes.write(to: file)
        let store = try Store.open(directory: path, options: try Self.options(1))
        defer { try? store.close() }
        for (start, limit, isSound) in [
            (0, 65_536, true), (0, 131_072, false), (65_536, 10, false), (65_536, .max, false),
            (131_072, .max, true),
        ] {
            let reader = try store.blobs.reader(digest)
            reader.seek(to: start)
            let code = try DivanDatabaseTests.refusal { _ = try reader.read(upTo: limit) }
            #expect(Self.isCorrupt(code) != isSound)
            #expect((code == nil) == isSound)
        }
    }

    /// `DIVAN_DAMAGES` is the number of attempts.
    @Test func `random damage is detected or harmless`() throws {
        let count =
            ProcessInfo.processInfo.environment["DIVAN_DAMAGES"].flatMap { Int($0) }
            ?? TestLength.of(60, long: 300)
        let seed = TestSeed.choose(below: 1_000_000)
        var generator = SeededGenerator(seed: seed)
        let home = try TemporaryDirectory()
        let path = home.file("a.cblite2")
        try Self.make(path, key: 1)
        let files =
            [path + "/db.sqlite3"]
            + (try entries(path + "/Attachments").map { "\(path)/Attachments/\($0)" })
        let whole = try files.map { try Data(contentsOf: URL(filePath: $0)) }
        for file in files {
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        }
        var noticedCount = 0
        for number in 0..<count {
            let index = Int.random(in: 0..<files.count, using: &generator)
            let (damaged, kind) = Self.damage(whole[index], using: &generator)
            try damaged.write(to: URL(filePath: files[index]))
            let code = try Self.refusal(path, key: 1)
            let place = "seed \(seed), damage \(number) (\(kind)) in \(files[index])"
            switch code {
            case .corrupt, .notADatabase: noticedCount += 1
            case nil: #expect(damaged == whole[index], "\(place)")
            case let code: Issue.record("\(place): \(String(describing: code))")
            }
            try whole[index].write(to: URL(filePath: files[index]))
            try? FileManager.default.removeItem(atPath: path + "/db.sqlite3-wal")
            try? FileManager.default.removeItem(atPath: path + "/db.sqlite3-shm")
        }
        #expect(noticedCount > count * 9 / 10)
        #expect(try Self.refusal(path, key: 1) == nil)
    }

    private static func damage(
        _ whole: Data,
        using generator: inout SeededGenerator
    ) -> (Data, String) {
        var damaged = whole
        let page = 4_096
        switch Int.random(in: 0..<6, using: &generator) {
        case 0...2:
            let place = Int.random(in: 0..<whole.count, using: &generator)
            damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            return (damaged, "a bit at \(place)")
        case 3:
            let place = Int.random(in: 0..<whole.count, using: &generator)
            let end = min(place + Int.random(in: 1...600, using: &generator), whole.count)
            for index in place..<end { damaged[index] = .random(in: 0...255, using: &generator) }
            return (damaged, "bytes from \(place) to \(end)")
        case 4:
            let length = Int.random(in: 1..<whole.count, using: &generator)
            return (whole.prefix(length), "cut at \(length)")
        default:
            let count = whole.count / page
            let (first, second) = (
                Int.random(in: 0..<count, using: &generator) * page,
                Int.random(in: 0..<count, using: &generator) * page
            )
            damaged.replaceSubrange(first..<first + page, with: whole[second..<second + page])
            return (damaged, "page \(second) at \(first)")
        }
    }
}
