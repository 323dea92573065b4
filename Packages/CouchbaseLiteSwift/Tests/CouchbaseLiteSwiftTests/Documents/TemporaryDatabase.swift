import CouchbaseLiteSwift
import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// A database in its own directory; both are removed with the last reference.
struct TemporaryDatabase {
    let directory: TemporaryDirectory
    let database: Database

    init(_ name: String = "db") throws {
        directory = try TemporaryDirectory()
        database = try Database(name: name, config: .in(directory))
    }

    var collection: CouchbaseLiteSwift.Collection {
        get throws { try database.defaultCollection() }
    }

    /// Another `Database` object for the same file.
    func reopened() throws -> Database {
        try Database(name: database.name, config: .in(directory))
    }
}

/// With `DIVAN_TEST_KEY`, 64 hexadecimal digits, test databases are sealed.
enum TestKey {
    static let chosen: EncryptionKey? =
        CurrentProcess.variable("DIVAN_TEST_KEY") == nil ? nil : .environment("DIVAN_TEST_KEY")
}

extension DatabaseConfiguration {
    /// A configuration for databases in `directory`.
    static func `in`(_ directory: TemporaryDirectory) -> DatabaseConfiguration {
        var config = DatabaseConfiguration()
        config.directory = directory.path
        config.encryptionKey = TestKey.chosen
        return config
    }
}

/// Expects `body` to throw `code` of `CBLError.domain`, as a real `NSError` with a message.
func expect(
    _ code: Int,
    _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) {
    do {
        try body()
        Issue.record(comment ?? "nothing was thrown", sourceLocation: sourceLocation)
    } catch let error as NSError {
        #expect(error.domain == CBLError.domain, comment, sourceLocation: sourceLocation)
        #expect(error.code == code, comment, sourceLocation: sourceLocation)
        #expect(error.localizedDescription.count > 20, sourceLocation: sourceLocation)
    }
}
