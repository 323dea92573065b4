import CouchbaseLiteSwift
import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// Encrypted databases as in the official API.
@Suite(.timeLimit(.minutes(5))) struct EncryptionTests {
    private let home: TemporaryDirectory

    init() throws {
        home = try TemporaryDirectory()
    }

    private static let content = Data(String(repeating: "aubergine ", count: 30_000).utf8)
    private static let raw = EncryptionKey.key(Data(repeating: 7, count: 32))

    private func open(_ key: EncryptionKey?, _ name: String = "secrets") throws -> Database {
        var config = DatabaseConfiguration()
        config.directory = home.path
        config.encryptionKey = key
        return try Database(name: name, config: config)
    }

    /// The code with which opening the database fails, or `nil`.
    private func refusal(_ key: EncryptionKey?, _ name: String = "secrets") -> Int? {
        code { try open(key, name).close() }
    }

    private func code(_ body: () throws -> Void) -> Int? {
        do {
            try body()
            return nil
        } catch let error as NSError {
            #expect(error.domain == CBLError.domain)
            return error.code
        }
    }

    private func fill(_ database: Database) throws {
        let collection = try database.defaultCollection()
        try database.inBatch {
            for number in 0..<50 {
                let document = MutableDocument(id: "doc-\(number)")
                document.setString("aubergine \(number)", forKey: "word")
                document.setBlob(
                    Blob(contentType: "text/plain", data: Self.content),
                    forKey: "text"
                )
                try collection.save(document: document)
            }
        }
        let index = IndexBuilder.valueIndex(items: [ValueIndexItem.property("word")])
        try collection.createIndex(index, name: "words")
    }

    private func verify(_ database: Database) throws {
        let collection = try database.defaultCollection()
        #expect(collection.count == 50)
        #expect(try collection.document(id: "doc-7")?.string(forKey: "word") == "aubergine 7")
        #expect(
            try collection.document(id: "doc-7")?.blob(forKey: "text")?.content == Self.content
        )
        #expect(try collection.indexes() == ["words"])
        let query = try database.createQuery(
            "SELECT meta().id FROM _default WHERE word = 'aubergine 9'"
        )
        #expect(try query.execute().allResults().map { $0.string(at: 0) } == ["doc-9"])
        try database.performMaintenance(type: .integrityCheck)
    }

    private func shows(_ word: String) throws -> Bool {
        let files = try #require(FileManager.default.enumerator(atPath: home.path))
        for case let name as String in files {
            let data = FileManager.default.contents(atPath: home.file(name))
            if data?.range(of: Data(word.utf8)) != nil { return true }
        }
        return false
    }

    @Test func `only the right key opens a database, any other throws unreadableDatabase`() throws {
        let database = try open(.password("letmein"))
        try fill(database)
        #expect(try !shows("aubergine"))
        try database.close()
        #expect(try !shows("aubergine"))
        for key in [nil, EncryptionKey.password("wrong"), Self.raw] {
            #expect(refusal(key) == CBLError.unreadableDatabase)
        }
        let again = try open(.password("letmein"))
        try verify(again)
        try again.delete()
        let plain = try open(nil)
        try fill(plain)
        try plain.close()
        #expect(refusal(.password("letmein")) == CBLError.unreadableDatabase)
        #expect(try shows("aubergine"))
        try open(nil).close()
    }

    @Test(arguments: [nil, raw])
    func `a stored blob of an encrypted database can be read as a stream`(
        _ key: EncryptionKey?
    ) throws {
        let database = try open(key)
        try fill(database)
        let stored = try database.defaultCollection().document(id: "doc-7")
        let stream = try #require(stored?.blob(forKey: "text")?.contentStream)
        stream.open()
        var (content, piece) = (Data(), [UInt8](repeating: 0, count: 7_000))
        while case let count = stream.read(&piece, maxLength: piece.count), count > 0 {
            content.append(contentsOf: piece[..<count])
        }
        #expect(content == Self.content)
        stream.close()
        // A stored blob may be read while others read its file, and saved elsewhere.
        let other = try open(key, "other")
        let source = try #require(stored?.blob(forKey: "text")?.contentStream)
        let copy = Blob(contentType: "text/plain", contentStream: source)
        try other.defaultCollection().save(
            document: MutableDocument(id: "copy").setBlob(copy, forKey: "text")
        )
        #expect(copy.content == Self.content)
    }

    @Test func `an invalid key throws invalidParameter`() throws {
        for count in [0, 16, 31, 33] {
            let key = EncryptionKey.key(Data(repeating: 1, count: count))
            #expect(refusal(key) == CBLError.invalidParameter)
        }
        let sources = [
            EncryptionKey.password(""), .file("/nowhere/key"), .environment("DIVAN_NO_SUCH_KEY"),
            .credential("none"), .command("false"), .descriptor(-1),
        ]
        for key in sources { #expect(refusal(key) == CBLError.invalidParameter) }
        #expect(home.names == [])
        let database = try open(Self.raw)
        let short = EncryptionKey.key(Data(repeating: 1, count: 5))
        #expect(code { try database.changeEncryptionKey(short) } == CBLError.invalidParameter)
        try database.close()
        #expect(refusal(Self.raw) == nil)
    }

    @Test func `a key can come from a file, a command or the environment`() throws {
        let digits = String(repeating: "07", count: 32)
        try Data("\(digits)\n".utf8).write(to: URL(filePath: home.file("key")))
        #expect(refusal(.file(home.file("key"))) == CBLError.invalidParameter)
        try FileSystem.setPermissions(0o600, of: home.file("key"))
        TestEnvironment.set("DIVAN_ENCRYPTION_TESTS", digits)
        let database = try open(Self.raw)
        try fill(database)
        try database.close()
        for key in [
            EncryptionKey.file(home.file("key")), .command("cat '\(home.file("key"))'"),
            .environment("DIVAN_ENCRYPTION_TESTS"),
        ] {
            let database = try open(key)
            try verify(database)
            try database.close()
        }
    }

    @Test func `changing the key keeps all data, whatever the old and new keys are`() throws {
        let keys: [EncryptionKey?] = [nil, .password("letmein"), Self.raw, .password("other"), nil]
        try fill(open(nil))
        for (old, new) in zip(keys, keys.dropFirst()) {
            let database = try open(old)
            let heard = try database.defaultCollection().count
            try database.changeEncryptionKey(new)
            #expect(try database.defaultCollection().count == heard)
            try verify(database)
            try database.close()
            #expect(refusal(old) == CBLError.unreadableDatabase)
            let again = try open(new)
            try verify(again)
            try again.close()
            #expect(try shows("aubergine") == (new == nil))
        }
    }

    @Test func `the key can be changed only by the sole user of the database and outside a batch`()
        throws
    {
        let database = try open(Self.raw)
        let second = try open(Self.raw)
        #expect(code { try database.changeEncryptionKey(nil) } == CBLError.busy)
        try second.close()
        let inside = code {
            try database.inBatch {
                #expect(
                    code { try database.changeEncryptionKey(nil) } == CBLError.transactionNotClosed
                )
            }
        }
        #expect(inside == nil)
        try database.changeEncryptionKey(nil)
        try database.close()
        #expect(code { try database.changeEncryptionKey(Self.raw) } == CBLError.notOpen)
        #expect(refusal(nil) == nil)
    }

    @Test func `copying an encrypted database requires its key`() throws {
        let database = try open(Self.raw)
        try fill(database)
        let path = try #require(database.path)
        var config = DatabaseConfiguration()
        config.directory = home.path
        let without = code {
            try Database.copy(fromPath: path, toDatabase: "copy", withConfig: config)
        }
        #expect(without == CBLError.unreadableDatabase)
        config.encryptionKey = Self.raw
        try Database.copy(fromPath: path, toDatabase: "copy", withConfig: config)
        try database.close()
        #expect(refusal(nil, "copy") == CBLError.unreadableDatabase)
        let copy = try open(Self.raw, "copy")
        try verify(copy)
        try copy.close()
        #expect(try !shows("aubergine"))
    }

    @Test func `descriptions and dumps do not show a key`() throws {
        var text = ""
        dump(EncryptionKey.password("letmein"), to: &text)
        var config = DatabaseConfiguration()
        config.encryptionKey = .password("letmein")
        dump(config, to: &text)
        text += "\(config) \(EncryptionKey.password("letmein"))"
        #expect(!text.contains("letmein"))
    }

    @Test func `an encrypted database contains no plain text on disk`() throws {
        let words = (0..<40).map { "planted\($0 * 7_919)quokka" }
        for (key, name) in [(Self.raw, "sealed"), (nil, "plain")] as [(EncryptionKey?, String)] {
            let database = try open(key, name)
            let people = try database.createCollection(name: "people")
            let parts = stride(from: 0, to: 40, by: 5).map { Array(words[$0..<$0 + 5]) }
            for part in parts {
                let document = MutableDocument(id: part[0])
                document.setString(part[1], forKey: part[2])
                document.setBlob(
                    Blob(contentType: "text/plain", data: Data(part[3].utf8)),
                    forKey: "text"
                )
                document.setString("doomed \(part[4])", forKey: "old")
                try people.save(document: document)
            }
            let index = IndexBuilder.fullTextIndex(items: FullTextIndexItem.property("old"))
            try people.createIndex(index, name: "old")
            // While open, with its log; closed; and compacted.
            for step in 0..<3 {
                if step == 1 { try database.close() }
                if step == 2 {
                    let again = try open(key, name)
                    try again.performMaintenance(type: .compact)
                    #expect(try found(words, in: name) == (key == nil ? 40 : 0))
                    try again.close()
                }
                #expect(try found(words, in: name) == (key == nil ? 40 : 0), "step \(step)")
            }
        }
    }

    private func found(_ words: [String], in name: String) throws -> Int {
        let directory = home.file("\(name).cblite2")
        let files = try #require(FileManager.default.enumerator(atPath: directory))
        var all = Data()
        for case let file as String in files {
            all += FileManager.default.contents(atPath: "\(directory)/\(file)") ?? Data()
            all += Data(file.utf8)
        }
        return words.filter { all.range(of: Data($0.utf8)) != nil }.count
    }
}
