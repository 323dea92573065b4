import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

/// A directory for databases; a suite keeps it for as long as its test runs.
struct Place {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    var config: DatabaseConfiguration {
        var config = DatabaseConfiguration()
        config.directory = directory.path
        return config
    }

    func open(_ name: String = "travel") throws -> Database {
        try Database(name: name, config: config)
    }
}

/// The code of the `CBLError` that `body` throws; 0 when it throws none.
func code(_ body: () throws -> Void) -> Int {
    do {
        try body()
        return 0
    } catch let error as NSError {
        return error.domain == CBLError.domain ? error.code : -error.code
    }
}

/// Code that uses deprecated declarations; called by value to avoid a warning in the caller.
protocol Older {
    func run() throws
}
