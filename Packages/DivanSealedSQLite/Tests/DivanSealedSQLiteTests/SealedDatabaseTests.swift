import CDivanSealedSQLite
import DivanSeal
import DivanSealedSQLite
import DivanTestKit
import Foundation
import Testing

/// What SQLite sees and what is written to disk.
struct SealedDatabaseTests {
    private static let rowCount = 300

    private static func fill(_ file: SealedFile) throws {
        try file.execute(
            """
            CREATE TABLE IF NOT EXISTS words (id INTEGER PRIMARY KEY, word TEXT);
            BEGIN;
            WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(rowCount))
            INSERT INTO words SELECT i, 'tamarind-' || i || hex(zeroblob(i * 13 % 3000)) FROM n;
            COMMIT;
            """
        )
    }

    private static func bytes(_ path: String) throws -> Data {
        try Data(contentsOf: URL(filePath: path))
    }

    @Test(arguments: SealCipher.all)
    func `an encrypted database stores its data and shows none of it`(
        cipher: SealCipher
    ) throws {
        let home = try TemporaryDirectory()
        let (path, plainPath) = (home.file("a.db"), home.file("b.db"))
        let vfs = try SealedVFS.test(1, cipher)
        let expected: [String]
        do {
            let file = try SealedFile(path, vfs)
            let plain = try SealedFile(plainPath, nil)
            for file in [file, plain] { try Self.fill(file) }
            expected = try plain.texts("SELECT word FROM words ORDER BY id")
            #expect(try file.texts("SELECT word FROM words ORDER BY id") == expected)
            // While the log and its index exist.
            for name in home.names where name.hasPrefix("a.db") {
                #expect(try Self.bytes(home.file(name)).range(of: Data("tamarind".utf8)) == nil)
            }
            #expect(try Self.bytes(plainPath + "-wal").range(of: Data("tamarind".utf8)) != nil)
        }
        #expect(home.names == ["a.db", "b.db"])
        #expect(try Self.bytes(path).range(of: Data("tamarind".utf8)) == nil)
        #expect(try Self.bytes(plainPath).range(of: Data("tamarind".utf8)) != nil)
        let again = try SealedFile(path, .test(1))
        #expect(try again.texts("SELECT word FROM words ORDER BY id") == expected)
        #expect(try again.texts("PRAGMA integrity_check") == ["ok"])
        try again.execute("VACUUM; DELETE FROM words WHERE id % 3 = 0; VACUUM")
        #expect(try again.texts("PRAGMA integrity_check") == ["ok"])
    }

    @Test(arguments: [1_024, 4_096, 16_384, 65_536])
    func `pages of other sizes are encrypted`(pageSize: Int) throws {
        let home = try TemporaryDirectory()
        let path = home.file("a.db")
        do { try Self.fill(SealedFile(path, .test(1), pageSize: pageSize)) }
        let again = try SealedFile(path, .test(1))
        #expect(try again.texts("PRAGMA page_size") == ["\(pageSize)"])
        #expect(try again.texts("PRAGMA integrity_check") == ["ok"])
        #expect(try again.texts("SELECT count(*) FROM words") == ["\(Self.rowCount)"])
    }

    @Test func `a wrong, missing or unnecessary key opens nothing and changes nothing`() throws {
        let home = try TemporaryDirectory()
        let (path, plainPath) = (home.file("a.db"), home.file("b.db"))
        do {
            try Self.fill(SealedFile(path, .test(1)))
            try Self.fill(SealedFile(plainPath, nil))
        }
        let (sealed, plain) = (try Self.bytes(path), try Self.bytes(plainPath))
        let other = try SealedVFS.test(2)
        for (path, vfs) in [(path, other), (path, nil), (plainPath, other)] {
            let code = try code { _ = try SealedFile(path, vfs).texts("SELECT * FROM words") }
            #expect(code == SQLITE_NOTADB)
        }
        #expect(try Self.bytes(path) == sealed)
        #expect(try Self.bytes(plainPath) == plain)
    }

    @Test func `a wrong key is distinguished from damage, even if a crash left a log`() throws {
        let home = try TemporaryDirectory()
        let path = home.file("a.db")
        let file = try SealedFile(path, .test(1))
        try Self.fill(file)
        let copy = home.file("copy.db")
        for end in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: path + end, toPath: copy + end)
        }
        let refusal = try code {
            _ = try SealedFile(copy, .test(2)).texts("SELECT * FROM words")
        }
        #expect(refusal == SQLITE_NOTADB)
        let opened = try SealedFile(copy, .test(1))
        #expect(try opened.texts("SELECT count(*) FROM words") == ["\(Self.rowCount)"])
    }

    @Test func `a page that is moved, replaced or truncated is detected`() throws {
        let home = try TemporaryDirectory()
        let paths = [home.file("a.db"), home.file("b.db")]
        for path in paths { try Self.fill(SealedFile(path, .test(1))) }
        let (whole, foreign) = (try Self.bytes(paths[0]), try Self.bytes(paths[1]))
        let size = 4_096
        var moved = whole
        moved.replaceSubrange(4 * size..<5 * size, with: whole[5 * size..<6 * size])
        moved.replaceSubrange(5 * size..<6 * size, with: whole[4 * size..<5 * size])
        var mixed = whole
        mixed.replaceSubrange(4 * size..<5 * size, with: foreign[4 * size..<5 * size])
        var holed = whole
        holed.replaceSubrange(4 * size..<5 * size, with: Data(count: size))
        let cut = whole[..<(whole.count - 3 * size)]
        for damaged in [moved, mixed, holed, cut] {
            try damaged.write(to: URL(filePath: paths[0]))
            let code = try code {
                let file = try SealedFile(paths[0], .test(1))
                _ = try file.texts("SELECT word FROM words")
            }
            #expect(code == SQLITE_CORRUPT)
        }
        try whole.write(to: URL(filePath: paths[0]))
        let file = try SealedFile(paths[0], .test(1))
        #expect(try file.texts("SELECT count(*) FROM words") == ["\(Self.rowCount)"])
    }

    @Test func `the log of another database is refused, not treated as empty`() throws {
        let home = try TemporaryDirectory()
        let paths = [home.file("a.db"), home.file("b.db"), home.file("c.db")]
        let open = try paths[..<2].map { try SealedFile($0, .test(1)) }
        for file in open { try Self.fill(file) }
        for (path, log) in [(paths[0], paths[1])] {
            try FileManager.default.copyItem(atPath: path, toPath: paths[2])
            try FileManager.default.copyItem(atPath: log + "-wal", toPath: paths[2] + "-wal")
        }
        let code = try code {
            _ = try SealedFile(paths[2], .test(1)).texts("SELECT * FROM words")
        }
        #expect(code == SQLITE_CORRUPT)
    }

    @Test func `a truncated log gives complete commits, as after a power cut`() throws {
        let home = try TemporaryDirectory()
        let path = home.file("a.db")
        let file = try SealedFile(path, .test(1))
        try file.execute("CREATE TABLE words (id INTEGER PRIMARY KEY, word TEXT)")
        for id in 1...20 {
            try file.execute("INSERT INTO words VALUES (\(id), hex(zeroblob(3000)))")
        }
        let (main, log) = (try Self.bytes(path), try Self.bytes(path + "-wal"))
        var counts: Set<Int> = []
        for length in stride(from: 32, through: log.count, by: 1_777) {
            let copy = home.file("copy-\(length).db")
            try main.write(to: URL(filePath: copy))
            try log[..<length].write(to: URL(filePath: copy + "-wal"))
            let opened = try SealedFile(copy, .test(1))
            #expect(try opened.texts("PRAGMA integrity_check") == ["ok"])
            if try opened.texts("SELECT name FROM sqlite_schema").isEmpty { continue }
            let ids = try opened.texts("SELECT id FROM words ORDER BY id")
            #expect(ids == (0..<ids.count).map { "\($0 + 1)" })
            counts.insert(ids.count)
        }
        #expect(counts.count > 10)
    }

    @Test func `VACUUM INTO creates a copy with the same key, another key or none`() throws {
        let home = try TemporaryDirectory()
        let path = home.file("a.db")
        let file = try SealedFile(path, .test(1))
        try Self.fill(file)
        let other = try SealedVFS.test(2)
        for (name, vfs) in [("b.db", file.vfs), ("c.db", other), ("d.db", nil)] {
            let target = home.file(name)
            let vfsName = try vfs?.name() ?? "unix"
            try file.execute("VACUUM INTO 'file:\(target)?vfs=\(vfsName)'")
            #expect(try Self.bytes(target)[..<16] != Self.bytes(path)[..<16])
            let copy = try SealedFile(target, vfs)
            #expect(try copy.texts("SELECT count(*) FROM words") == ["\(Self.rowCount)"])
            #expect(try copy.texts("PRAGMA integrity_check") == ["ok"])
        }
    }

    @Test func `VACUUM INTO encrypts a plain database once bytes are reserved`() throws {
        let home = try TemporaryDirectory()
        let (path, target) = (home.file("a.db"), home.file("b.db"))
        let vfs = try SealedVFS.test(1)
        let plain = try SealedFile(path, nil)
        try Self.fill(plain)
        #expect(throws: SealedFile.Failure.self) {
            try plain.execute("VACUUM INTO 'file:\(target)-x?vfs=\(vfs.name())'")
        }
        try plain.reserve()
        try plain.execute("VACUUM INTO 'file:\(target)?vfs=\(vfs.name())'")
        let sealed = try SealedFile(target, vfs)
        #expect(try sealed.texts("SELECT count(*) FROM words") == ["\(Self.rowCount)"])
    }

    @Test func `no temporary files are written`() throws {
        let home = try TemporaryDirectory()
        let file = try SealedFile(home.file("a.db"), .test(1))
        try Self.fill(file)
        try file.execute("PRAGMA cache_size = 10; BEGIN; UPDATE words SET word = word || 'x'")
        _ = try file.texts("SELECT word FROM words ORDER BY word DESC")
        // The database, its log, the log's index.
        #expect(file.vfs?.openFileCount == 2)
        #expect(home.names == ["a.db", "a.db-shm", "a.db-wal"])
        try file.execute("COMMIT; PRAGMA temp_store = FILE; PRAGMA cache_size = 1")
        let code = try code {
            try file.execute("CREATE TEMP TABLE spill AS SELECT a.word FROM words a, words b")
        }
        #expect(code == SQLITE_CANTOPEN || code == SQLITE_IOERR)
    }

    /// The new file is first created as a temporary one; the words of all others stay in memory.
    @Test func `files written by VACUUM are encrypted`() throws {
        let home = try TemporaryDirectory()
        let path = home.file("a.db")
        let file = try SealedFile(path, .test(1))
        try Self.fill(file)
        try file.execute(
            """
            CREATE INDEX by_word ON words (word);
            INSERT INTO words SELECT a.id * 1000 + b.id, b.word FROM words a, words b WHERE a.id <= 3;
            PRAGMA wal_checkpoint(TRUNCATE);
            PRAGMA temp_store = FILE; PRAGMA cache_size = 10;
            """
        )
        let spilled = try file.nameless(showing: "tamarind") { try file.execute("VACUUM") }
        #expect(spilled.byteCount > 100_000, "most of it lay in the file")
        #expect(!spilled.showsWords)
        #expect(try file.texts("PRAGMA integrity_check") == ["ok"])
        #expect(file.vfs?.openFileCount == 2, "the temporary one is gone")
    }
}

extension SealedDatabaseTests {
    /// SQLite frees pages that it has never written, and reuses them.
    @Test func `pages that were freed before they were written are not damage`() throws {
        let home = try TemporaryDirectory()
        let path = home.file("a.db")
        let file = try SealedFile(path, .test(1))
        try file.execute(
            """
            PRAGMA cache_size = 20;
            CREATE TABLE t (id INTEGER PRIMARY KEY, body BLOB);
            BEGIN;
            INSERT INTO t VALUES (1, zeroblob(3000000)), (2, zeroblob(5000));
            DELETE FROM t WHERE id = 1;
            INSERT INTO t VALUES (3, zeroblob(100000));
            COMMIT;
            INSERT INTO t VALUES (4, randomblob(2000000));
            UPDATE t SET body = randomblob(2500000) WHERE id = 4;
            PRAGMA wal_checkpoint(TRUNCATE);
            INSERT INTO t VALUES (5, randomblob(4000000));
            """
        )
        #expect(try file.texts("PRAGMA integrity_check") == ["ok"])
        try file.execute("PRAGMA wal_checkpoint(TRUNCATE); VACUUM")
        let again = try SealedFile(path, .test(1))
        #expect(try again.texts("PRAGMA integrity_check") == ["ok"])
        #expect(
            try again.texts("SELECT length(body) FROM t ORDER BY id")
                == ["5000", "100000", "2500000", "4000000"]
        )
    }
}
