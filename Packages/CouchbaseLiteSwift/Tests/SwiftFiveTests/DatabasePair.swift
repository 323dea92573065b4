import CouchbaseLiteSwift
import DivanTestKit
import Foundation

/// Two databases of one application, in a directory that is removed with its last reference.
struct DatabasePair {
    let directory: TemporaryDirectory
    let database: Database
    let other: Database

    init() throws {
        directory = try TemporaryDirectory()
        var config = DatabaseConfiguration()
        config.directory = directory.path
        database = try Database(name: "mydatabase", config: config)
        other = try Database(name: "other", config: config)
    }
}
