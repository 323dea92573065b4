import CouchbaseLiteSwift
import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// `behaviour.md` §2 and §15; `api-map.md` §2.
@Suite struct DatabaseTests {
    let directory: TemporaryDirectory
    var config: DatabaseConfiguration { .in(directory) }

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func `opening creates the database, and its path ends with a slash`() throws {
        #expect(!Database.exists(withName: "db", inDirectory: directory.path))
        let database = try Database(name: "db", config: config)
        #expect(database.name == "db")
        #expect(database.path == directory.path + "/db.cblite2/")
        #expect(Database.exists(withName: "db", inDirectory: directory.path))
        let names = try FileManager.default.contentsOfDirectory(atPath: database.path ?? "")
        #expect(names.contains("db.sqlite3"))
        #expect(names.contains("Attachments"))
    }

    @Test func `missing parent directories are created`() throws {
        var deep = config
        deep.directory += "/a/b/c"
        _ = try Database(name: "db", config: deep)
        #expect(Database.exists(withName: "db", inDirectory: deep.directory))
    }

    @Test func `an empty name is refused`() {
        expect(CBLError.invalidParameter) { _ = try Database(name: "", config: config) }
    }

    @Test func `a slash in a name is stored as a colon`() throws {
        let database = try Database(name: "a/b", config: config)
        #expect(database.path == directory.path + "/a:b.cblite2/")
    }

    @Test func `a slash with a combining mark is stored as a colon too`() throws {
        let database = try Database(name: "..\u{2F}\u{301}b", config: config)
        let name = "..:\u{301}b.cblite2"
        #expect(database.path == "\(directory.path)/\(name)/")
        #expect(directory.names == [name])
    }

    @Test func `documents are kept when a database is closed and reopened`() throws {
        let first = try Database(name: "db", config: config)
        try first.defaultCollection().save(document: MutableDocument(id: "doc", data: ["n": 1]))
        try first.close()
        let second = try Database(name: "db", config: config)
        #expect(try second.defaultCollection().document(id: "doc")?.int(forKey: "n") == 1)
    }

    @Test func `closing twice does nothing, and the path is nil afterwards`() throws {
        let database = try Database(name: "db", config: config)
        try database.close()
        try database.close()
        #expect(database.path == nil)
    }

    @Test func `documents stay readable after closing, but blobs do not`() throws {
        let database = try Database(name: "db", config: config)
        let collection = try database.defaultCollection()
        let content = Data(repeating: 7, count: 20_000)
        let blob = Blob(contentType: "a/b", data: content)
        try collection.save(document: MutableDocument(id: "doc", data: ["n": 1, "b": blob]))
        let document = try #require(try collection.document(id: "doc"))
        try database.close()
        #expect(document.int(forKey: "n") == 1)
        #expect(document.blob(forKey: "b")?.length == 20_000)
        #expect(document.blob(forKey: "b")?.content == nil)
    }

    @Test func `deleting a database removes its files`() throws {
        let database = try Database(name: "db", config: config)
        try database.delete()
        #expect(database.path == nil)
        #expect(!Database.exists(withName: "db", inDirectory: directory.path))
        #expect(directory.names.isEmpty)
    }

    @Test func `deleting throws busy while another object has the database open`() throws {
        let database = try Database(name: "db", config: config)
        let other = try Database(name: "db", config: config)
        expect(CBLError.busy) { try database.delete() }
        expect(CBLError.busy) {
            try Database.delete(withName: "db", inDirectory: directory.path)
        }
        #expect(database.path != nil, "a refused delete leaves it open")
        try database.defaultCollection().save(document: MutableDocument())
        try other.close()
        try database.delete()
    }

    @Test func `deleting a database that does not exist succeeds`() throws {
        try Database.delete(withName: "nothing", inDirectory: directory.path)
    }

    @Test func `releasing the last reference closes the database`() throws {
        do {
            let database = try Database(name: "db", config: config)
            try database.defaultCollection().save(document: MutableDocument())
        }
        try Database.delete(withName: "db", inDirectory: directory.path)
    }

    @Test func `closing one object leaves the others open`() throws {
        let first = try Database(name: "db", config: config)
        let second = try Database(name: "db", config: config)
        try first.close()
        try second.defaultCollection().save(document: MutableDocument(id: "doc"))
        #expect(try second.defaultCollection().count == 1)
    }

    @Test func `a copy has all documents and blobs and is independent of the original`() throws {
        let database = try Database(name: "db", config: config)
        let blob = Blob(contentType: "text/plain", data: Data("hello".utf8))
        let document = MutableDocument(id: "doc", data: ["blob": blob])
        try database.defaultCollection().save(document: document)
        let path = try #require(database.path)
        try Database.copy(fromPath: path, toDatabase: "copy", withConfig: config)

        let copy = try Database(name: "copy", config: config)
        let twin = try copy.defaultCollection().document(id: "doc")
        #expect(twin?.blob(forKey: "blob")?.content == Data("hello".utf8))
        #expect(twin?.revisionID == document.revisionID)
        try copy.defaultCollection().purge(id: "doc")
        #expect(try database.defaultCollection().count == 1)
    }

    @Test func `copying onto an existing database fails with EEXIST`() throws {
        let database = try Database(name: "db", config: config)
        let path = try #require(database.path)
        do {
            try Database.copy(fromPath: path, toDatabase: "db", withConfig: config)
            Issue.record("nothing was thrown")
        } catch let error as NSError {
            #expect(error.domain == NSPOSIXErrorDomain)
            #expect(error.code == Int(Errno.fileExists.rawValue))
        }
    }

    @Test func `copying a database that does not exist fails`() throws {
        expect(CBLError.notFound) {
            try Database.copy(
                fromPath: directory.file("none.cblite2"),
                toDatabase: "copy",
                withConfig: config
            )
        }
    }

    @Test func `opening a file that is not a database throws unreadableDatabase`() throws {
        let path = directory.file("db.cblite2")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try Data("not a database at all, just text".utf8)
            .write(to: URL(fileURLWithPath: path + "/db.sqlite3"))
        expect(CBLError.unreadableDatabase) { _ = try Database(name: "db", config: config) }
    }

    @Test func `DatabaseConfiguration is a value type`() throws {
        var changed = config
        changed.fullSync = true
        let database = try Database(name: "db", config: changed)
        changed.directory = "/elsewhere"
        #expect(database.config.directory == directory.path)
        #expect(database.config.fullSync)
        #expect(DatabaseConfiguration(config: changed).directory == "/elsewhere")
        #expect(!DatabaseConfiguration().fullSync)
    }

    @Test(arguments: [
        MaintenanceType.compact, .reindex, .integrityCheck, .optimize, .fullOptimize,
    ])
    func `maintenance does not change documents`(_ type: MaintenanceType) throws {
        let database = try Database(name: "db", config: config)
        try database.defaultCollection().save(document: MutableDocument(id: "doc"))
        try database.performMaintenance(type: type)
        #expect(try database.defaultCollection().count == 1)
        try database.close()
        expect(CBLError.notOpen) { try database.performMaintenance(type: type) }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a database is closed even if its files cannot be deleted`() async throws {
        let database = try Database(name: "db", config: config)
        let changes = try database.defaultCollection().changes()
        // A file is in the place to which the database is moved for deletion.
        try Data([1]).write(to: URL(fileURLWithPath: directory.file("db.cblite2.deleting")))
        #expect(throws: NSError.self) { try database.delete() }
        #expect(database.path == nil)
        expect(CBLError.notOpen) { try database.delete() }
        for await _ in changes {}
    }
}
