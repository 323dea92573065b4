import Divan
import DivanTestKit
import Foundation
import Testing

/// A note, as applications write models.
struct Note: Codable, Identifiable, Sendable, Equatable {
    var id: String
    var title: String
    var done = false
    var stars: Int?
}

/// A database on disk, in a directory that is removed with the last reference.
struct DiskDatabase {
    let directory: TemporaryDirectory
    let database: Database

    init(_ name: String = "shop", _ options: Database.Options = .init()) throws {
        directory = try TemporaryDirectory()
        let url = URL(filePath: directory.path, directoryHint: .isDirectory)
        database = try Database.open(name, in: url, options)
    }

    var url: URL { URL(filePath: directory.path, directoryHint: .isDirectory) }

    func reopened(_ options: Database.Options = .init()) throws -> Database {
        try Database.open(database.name, in: url, options)
    }
}

/// Expects an error with a code, whose text is one sentence with its place.
func expect(
    _ code: DivanError.Code,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) {
    do {
        try body()
        Issue.record("nothing was thrown", sourceLocation: sourceLocation)
    } catch let error as DivanError {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        #expect(error.description.count > 15, sourceLocation: sourceLocation)
        #expect(!error.description.contains("NSError"), sourceLocation: sourceLocation)
    } catch {
        Issue.record("\(type(of: error)) was thrown: \(error)", sourceLocation: sourceLocation)
    }
}
