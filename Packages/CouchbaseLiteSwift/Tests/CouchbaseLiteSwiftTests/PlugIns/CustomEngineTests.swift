import CouchbaseLiteSwift
import DivanDatabase
import DivanRevisions
import DivanTestKit
import Foundation
import Testing

/// Databases whose rows are stored by an engine of the application.
@Suite(.timeLimit(.minutes(5))) struct CustomEngineTests {
    private static func config(
        _ home: TemporaryDirectory,
        _ engine: (any StorageEngineProvider)?
    ) -> DatabaseConfiguration {
        var config = DatabaseConfiguration()
        config.directory = home.path
        config.engine = engine
        return config
    }

    private static func code(_ body: () throws -> Void) -> Int? {
        #expect(throws: NSError.self) { try body() }?.code
    }

    @Test func `a custom engine stores the documents, answers queries and survives reopening`()
        throws
    {
        let home = try TemporaryDirectory()
        let engines = SampleEngines()
        let config = Self.config(home, engines)
        #expect(DatabaseConfiguration(config: config).engine?.name == "sample")
        var database = try Database(name: "a", config: config)
        let folder = try #require(engines.places.elements.first?.directory)
        #expect(try folder.hasPrefix(#require(database.path)))
        let blob = Blob(contentType: "text/plain", data: Data("hello".utf8))
        let document = MutableDocument(id: "soup", data: ["name": "Lentil"])
        try database.defaultCollection().save(document: document.setBlob(blob, forKey: "note"))
        let stored = try engines.latest?.inner.read { snapshot in
            let number = try #require(try snapshot.collection(.default))
            return try snapshot.row("soup", in: number, content: .whole)?.body
        }
        #expect(try String(decoding: #require(stored), as: UTF8.self).contains("Lentil"))
        #expect(!FileManager.default.fileExists(atPath: "\(home.path)/a.cblite2/db.sqlite3"))
        let sql = "SELECT META().id AS id FROM _ WHERE name = 'Lentil'"
        #expect(try database.createQuery(sql).execute().next()?.string(forKey: "id") == "soup")
        try database.close()
        #expect(engines.latest?.wasClosed == true)

        database = try Database(name: "a", config: config)
        let found = try database.defaultCollection().document(id: "soup")
        #expect(found?.string(forKey: "name") == "Lentil")
        #expect(found?.blob(forKey: "note")?.content == Data("hello".utf8))
        try database.performMaintenance(type: .compact)
        try database.performMaintenance(type: .integrityCheck)
        try database.delete()
        #expect(!Database.exists(withName: "a", inDirectory: home.path))
    }

    @Test func `several objects of one database share its engine`() throws {
        let home = try TemporaryDirectory()
        let engines = SampleEngines()
        let first = try Database(name: "a", config: Self.config(home, engines))
        let second = try Database(name: "a", config: Self.config(home, engines))
        #expect(engines.places.elements.count == 1)
        try first.defaultCollection().put("a", 1)
        #expect(try second.defaultCollection().value("a") == 1)
        #expect(
            Self.code { _ = try Database(name: "a", config: Self.config(home, nil)) }
                == CBLError.unreadableDatabase
        )
        try first.close()
        #expect(engines.latest?.wasClosed == false)
        try second.close()
        #expect(engines.latest?.wasClosed == true)
    }

    @Test func `a database is opened only by the engine that created it`() throws {
        let home = try TemporaryDirectory()
        try Database(name: "mine", config: Self.config(home, SampleEngines())).close()
        try Database(name: "stock", config: Self.config(home, nil)).close()
        #expect(Database.exists(withName: "mine", inDirectory: home.path))
        for (name, engine) in [
            ("mine", nil), ("mine", SampleEngines("other")), ("stock", SampleEngines()),
        ] as [(String, SampleEngines?)] {
            let code = Self.code {
                _ = try Database(name: name, config: Self.config(home, engine))
            }
            #expect(code == CBLError.unreadableDatabase, "\(name)")
        }
        let path = "\(home.path)/mine.cblite2"
        let copying = Self.code {
            try Database.copy(
                fromPath: path,
                toDatabase: "copy",
                withConfig: Self.config(home, nil)
            )
        }
        #expect(copying == CBLError.unreadableDatabase)
        try "2\nsample\n".write(toFile: "\(path)/engine", atomically: true, encoding: .utf8)
        let newer = #expect(throws: NSError.self) {
            _ = try Database(name: "mine", config: Self.config(home, SampleEngines()))
        }
        #expect(newer?.code == CBLError.databaseTooNew)
        #expect(newer?.localizedDescription.contains("format 2") == true)
    }

    @Test func `an engine that fails to open leaves no database`() throws {
        let home = try TemporaryDirectory()
        let engines = SampleEngines(failure: SampleEngines.Refusal())
        let error = #expect(throws: NSError.self) {
            _ = try Database(name: "a", config: Self.config(home, engines))
        }
        #expect(error?.code == CBLError.cantOpenFile)
        #expect(error?.localizedDescription.contains("the cable is not plugged in") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.path).isEmpty)
        // Its own store errors are passed on.
        let full = SampleEngines(failure: StoreError(.diskFull))
        let second = #expect(throws: NSError.self) {
            _ = try Database(name: "a", config: Self.config(home, full))
        }
        #expect(second?.domain == NSPOSIXErrorDomain)
        let third = Self.code {
            _ = try Database.inMemory(config: Self.config(home, engines))
        }
        #expect(third == CBLError.cantOpenFile)
    }

    @Test(arguments: ["", "a b", "ü", "a/b", String(repeating: "x", count: 65)])
    func `an engine with an invalid name is refused`(name: String) throws {
        let home = try TemporaryDirectory()
        let code = Self.code {
            _ = try Database(name: "a", config: Self.config(home, SampleEngines(name)))
        }
        #expect(code == CBLError.cantOpenFile)
    }

    @Test func `encryption keys need the SQLite engine`() throws {
        let home = try TemporaryDirectory()
        var config = Self.config(home, SampleEngines())
        config.encryptionKey = EncryptionKey.password("open sesame")
        #expect(Self.code { _ = try Database(name: "a", config: config) } == CBLError.unsupported)
        config.encryptionKey = nil
        let database = try Database(name: "a", config: config)
        let key = EncryptionKey.password("open sesame")
        #expect(Self.code { try database.changeEncryptionKey(key) } == CBLError.unsupported)
        try database.close()
    }

    @Test func `a read-only database opens the engine read-only`() throws {
        let home = try TemporaryDirectory()
        let engines = SampleEngines()
        try Database(name: "a", config: Self.config(home, engines)).close()
        var config = Self.config(home, engines)
        config.readOnly = true
        let database = try Database(name: "a", config: config)
        #expect(engines.places.elements.last?.isReadOnly == true)
        #expect(
            Self.code { try database.defaultCollection().put("a", 1) } == CBLError.notWriteable
        )
        try database.close()
    }

    @Test(arguments: [CouchbaseLiteSwift.RevisionScheme.revisionTrees, .versionVectors])
    func `databases with a custom engine sync with databases of the default engine`(
        scheme: CouchbaseLiteSwift.RevisionScheme
    ) async throws {
        let engines = SampleEngines()
        var config = DatabaseConfiguration()
        config.revisionScheme = scheme
        let stock = try Database.inMemory(name: "stock", config: config)
        config.engine = engines
        let mine = try Database.inMemory(name: "mine", config: config)
        #expect(engines.places.elements.map(\.directory) == [nil])
        #expect(mine.revisionScheme == scheme)
        try mine.defaultCollection().put("a", 1)
        try stock.defaultCollection().put("b", 2)
        let replication = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: try mine.defaultCollection())],
            target: DatabaseEndpoint(database: stock)
        )
        try await Replicator(config: replication).run()
        #expect(try mine.defaultCollection().value("b") == 2)
        #expect(try stock.defaultCollection().value("a") == 1)
        #expect((engines.latest?.writeCount ?? 0) > 2)
    }
}
