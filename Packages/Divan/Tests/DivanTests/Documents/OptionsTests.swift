import Divan
import DivanDatabase
import DivanTestKit
import Foundation
import Testing

/// Options of a database: plug-ins, read-only use and places.
@Suite struct OptionsTests {
    /// Opens databases in memory, as an engine of an application.
    private struct Engine: StorageEngineProvider {
        let name = "test-memory"

        func openEngine(in place: StorageEngineLocation) -> any StorageEngine { MemoryEngine() }
    }

    @Test("A database uses the engine in its options")
    func engine() throws {
        var options = Database.Options()
        options.engine = Engine()
        let disk = try DiskDatabase("custom", options)
        try disk.database.documents.save(Document(id: "1", ["a": 1]))
        #expect(try disk.database.documents.get("1")?.a == 1)
        #expect(try disk.database.query("SELECT a FROM _default").value(as: Int.self) == 1)
        let bundle = disk.directory.file("custom.cblite2")
        #expect(!FileManager.default.fileExists(atPath: bundle + "/db.sqlite3"))
    }

    @Test("Bodies are compressed with the codec of their collection")
    func compression() throws {
        let disk = try DiskDatabase()
        let logs = try disk.database.collection("logs")
        #expect(try logs.bodyCodec == "none")
        for number in 0..<200 {
            let text = String(repeating: "the same words ", count: 20)
            try logs.save(Document(id: "\(number)", ["text": .init(text), "n": .init(number)]))
        }
        try logs.compressBodies(with: "lz4")
        try disk.database.compact()
        #expect(try logs.bodyCodec == "lz4")
        #expect(try logs.get("17")?.n == 17)
        expect(.unsupported) { try logs.compressBodies(with: "unknown") }
    }

    @Test("A read-only database can be open while another one writes")
    func readOnly() throws {
        let disk = try DiskDatabase()
        let reader = try disk.reopened(.init(isReadOnly: true))
        try disk.database.documents.save(Document(id: "1"))
        #expect(try reader.documents.contains("1"))
        expect(.readOnly) { try reader.documents.delete("1") }
        expect(.readOnly) { _ = try reader.collection("new") }
    }

    @Test("A database is copied while it is open, and its copy exists")
    func copies() throws {
        let options = Database.Options(key: .password("secret"))
        let disk = try DiskDatabase("shop", options)
        let picture = Blob(Data([1, 2, 3]))
        try disk.database.documents.save(Document(id: "1", ["picture": .init(picture)]))
        let (source, place) = (try #require(disk.database.url), disk.url)
        #expect(!Database.exists("copy", in: place))
        try Database.copy(source, to: "copy", in: place, options)
        #expect(Database.exists("copy", in: place))
        let copy = try Database.open("copy", in: place, options)
        #expect(try copy.documents.get("1")?.picture?.blob?.data() == Data([1, 2, 3]))
        expect(.alreadyExists) { try Database.copy(source, to: "copy", in: place, options) }
        expect(.wrongKey) { try Database.copy(source, to: "other", in: place) }
        let missing = place.appending(path: "missing.cblite2")
        expect(.notFound) { try Database.copy(missing, to: "other", in: place) }
        #expect(!Database.exists("other", in: place))
    }

    @Test("A database is opened by its URL, and deleted")
    func places() async throws {
        let disk = try DiskDatabase()
        let url = try #require(disk.database.url)
        let again = try await Database.open(url)
        #expect(again.name == "shop")
        expect(.busy) { try again.delete() }
        try await again.close()
        try await again.close()
        try await disk.database.delete()
        #expect(!FileManager.default.fileExists(atPath: url.path(percentEncoded: false)))
        #expect(disk.database.url == nil)
    }

    @Test("Version vectors name revisions by time and source")
    func vectors() throws {
        var options = Database.Options()
        options.revisions = .versionVectors
        let database = try Database.inMemory(options)
        let saved = try database.documents.save(Document(id: "1"))
        #expect(saved.revision?.id.contains("@") == true)
    }

    @Test("A cancelled task saves nothing")
    func cancellation() async throws {
        let database = try Database.inMemory()
        let notes = try await database.existingCollection("_default")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await notes?.save(Document(id: "1"))
        }
        do {
            try await task.value
            Issue.record("the save was not cancelled")
        } catch DivanError.cancelled {
        }
        let isStored = try await notes?.contains("1")
        #expect(isStored == false)
    }
}
