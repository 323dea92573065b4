import CouchbaseLiteSwift
import Foundation
import Testing

/// `api-map.md` §2: each declaration with its official name and type; the compiler is the test.
@Suite struct DatabaseDeclarations {
    private let place: Place

    init() throws {
        place = try Place()
    }

    @Test func `Database has its official members`() throws {
        let _: (String, DatabaseConfiguration) throws -> Database = Database.init(name:config:)
        let _: KeyPath<Database, String> = \.name
        let _: KeyPath<Database, String?> = \.path
        let _: KeyPath<Database, DatabaseConfiguration> = \.config
        let _: (Database) -> (() throws -> Void) throws -> Void = Database.inBatch(using:)
        let _: (Database) -> () throws -> Void = Database.close
        let _: (Database) -> () throws -> Void = Database.delete
        let _: (Database) -> (MaintenanceType) throws -> Void = Database.performMaintenance(type:)
        let _: (Database) -> (Blob) throws -> Void = Database.saveBlob(blob:)
        let _: (Database) -> ([String: Any]) throws -> Blob? = Database.getBlob(properties:)
        let _: (String, String?) throws -> Void = Database.delete(withName:inDirectory:)
        let _: (String, String?) -> Bool = Database.exists(withName:inDirectory:)
        let _: (String, String, DatabaseConfiguration?) throws -> Void =
            Database.copy(fromPath:toDatabase:withConfig:)
        let names: [String] = [Database.defaultScopeName, Database.defaultCollectionName]
        #expect(names == ["_default", "_default"])
    }

    @Test func `Database has scopes and collections`() throws {
        let _: (Database) -> () throws -> Scope = Database.defaultScope
        let _: (Database) -> () throws -> [Scope] = Database.scopes
        let _: (Database) -> (String) throws -> Scope? = Database.scope(name:)
        let _: (Database) -> () throws -> Collection = Database.defaultCollection
        let _: (Database) -> (String?) throws -> [Collection] = Database.collections(scope:)
        let _: (Database) -> (String, String?) throws -> Collection =
            Database.createCollection(name:scope:)
        let _: (Database) -> (String, String?) throws -> Collection? =
            Database.collection(name:scope:)
        let _: (Database) -> (String, String?) throws -> Void =
            Database.deleteCollection(name:scope:)
    }

    @Test func `arguments with defaults can be omitted`() throws {
        let database = try place.open()
        #expect(try database.collections().count == 1)
        let collection = try database.createCollection(name: "a")
        #expect(try database.collection(name: "a") == collection)
        try database.deleteCollection(name: "a")
        for name in ["_bad", "", "a b"] {
            #expect(code { _ = try database.collection(name: name) } == CBLError.invalidParameter)
        }
        #expect(try database.createCollection(name: "a", scope: nil).scope.name == "_default")
        #expect(!Database.exists(withName: "nothing of this name"))
        try Database.delete(withName: "nothing of this name")
        #expect(Database.exists(withName: "travel", inDirectory: place.directory.path))
        try Database.copy(
            fromPath: try #require(database.path),
            toDatabase: "copy",
            withConfig: place.config
        )
        try database.close()
        try Database.delete(withName: "travel", inDirectory: place.directory.path)
        #expect(place.directory.names == ["copy.cblite2"])
    }

    @Test func `EncryptionKey and changeEncryptionKey have their official form`() {
        let _: (Data) -> EncryptionKey = EncryptionKey.key(_:)
        let _: (String) -> EncryptionKey = EncryptionKey.password(_:)
        let _: WritableKeyPath<DatabaseConfiguration, EncryptionKey?> = \.encryptionKey
        let _: (Database) -> (EncryptionKey?) throws -> Void = Database.changeEncryptionKey(_:)
    }

    @Test func `DatabaseConfiguration is a struct with its official members`() {
        let _: () -> DatabaseConfiguration = DatabaseConfiguration.init
        let _: (DatabaseConfiguration?) -> DatabaseConfiguration =
            DatabaseConfiguration.init(config:)
        let _: WritableKeyPath<DatabaseConfiguration, String> = \.directory
        let _: WritableKeyPath<DatabaseConfiguration, Bool> = \.fullSync
        let _: WritableKeyPath<DatabaseConfiguration, Bool> = \.mmapEnabled
        var config = DatabaseConfiguration(config: nil)
        #expect(config.fullSync == DatabaseConfiguration.defaultFullSync)
        #expect(config.mmapEnabled == DatabaseConfiguration.defaultMmapEnabled)
        #expect(!config.fullSync && config.mmapEnabled)
        let before = config
        config.mmapEnabled = false
        config.directory = "/elsewhere"
        #expect(before.mmapEnabled && before.directory != "/elsewhere")
        let copy = DatabaseConfiguration(config: config)
        #expect(!copy.mmapEnabled && copy.directory == "/elsewhere")
    }

    @Test func `enums have their raw values`() {
        let controls: [ConcurrencyControl] = [.lastWriteWins, .failOnConflict]
        let kinds: [MaintenanceType] = [
            .compact, .reindex, .integrityCheck, .optimize, .fullOptimize,
        ]
        #expect(controls.map { $0.rawValue as UInt8 } == [0, 1])
        #expect(kinds.map { $0.rawValue as UInt8 } == [0, 1, 2, 3, 4])
    }

    @Test func `Scope has its official members`() throws {
        let _: KeyPath<Scope, String> = \.name
        let _: KeyPath<Scope, Database> = \.database
        let _: (Scope) -> () throws -> [Collection] = Scope.collections
        let _: (Scope) -> (String) throws -> Collection? = Scope.collection(name:)
        #expect(Scope.defaultScopeName == "_default")
        let database = try place.open()
        #expect(try database.defaultScope().database === database)
    }

    @Test func `errors have the documented codes`() throws {
        #expect(code { _ = try Database(name: "") } == CBLError.invalidParameter)
        let database = try place.open()
        let again = try place.open()
        #expect(code { try database.delete() } == CBLError.busy)
        try again.close()
        let path = try #require(database.path)
        let posix = code {
            try Database.copy(fromPath: path, toDatabase: "travel", withConfig: place.config)
        }
        #expect(posix == -Int(EEXIST))
        try database.close()
        #expect(database.path == nil)
        #expect(code { _ = try database.defaultCollection() } == CBLError.notOpen)
        #expect(code { try database.inBatch {} } == CBLError.notOpen)
    }
}
