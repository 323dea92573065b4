import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

/// The section of the library in `Tools/command/messages.md`: calls that throw.
///
/// The page shows the source text of each call, and therefore exactly what runs.
final class LibraryCalls {
    static let title = "Library"
    static let words = """
        `notes` is a database with the collections `meals` and `drinks` and the document `soup`. \
        `closed` is the closed database `archive`, and `deleted` a deleted collection. A comment \
        shows the error's code and `localizedDescription`.
        """

    /// The blocks of the page: a call, and its error as a comment.
    private(set) var blocks: [String] = []
    private let lines: [Substring]
    private let folder: TemporaryDirectory
    private let config: DatabaseConfiguration
    private let notes: Database
    private let meals: CouchbaseLiteSwift.Collection
    private let drinks: CouchbaseLiteSwift.Collection

    /// Runs the calls.
    init() throws {
        lines = try String(contentsOfFile: #filePath, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
        folder = try TemporaryDirectory()
        var config = DatabaseConfiguration()
        config.directory = folder.path
        self.config = config
        notes = try Database(name: "notes", config: config)
        meals = try notes.createCollection(name: "meals")
        drinks = try notes.createCollection(name: "drinks")
        try meals.save(document: MutableDocument(id: "soup"))
        try callDatabases()
        try callCollections()
        callDocuments()
        try callReplicators()
    }

    /// Runs a call that throws, and adds its text and the error.
    private func provoke<Output>(line: Int = #line, _ call: () throws -> Output) {
        do {
            _ = try call()
            Issue.record("line \(line): no error")
        } catch {
            let error = error as NSError
            let message = MessagePage.masked(error.localizedDescription, in: folder.path)
            let code = error.domain == CBLError.domain ? "\(error.code)" : error.domain
            blocks.append("\(text(at: line))\n// \(code): \(message)")
        }
    }

    /// The text between the braces that open at a line of this file, without its indentation.
    private func text(at line: Int) -> String {
        let first = lines[line - 1]
        let margin = first.prefix { $0 == " " }
        guard first.hasSuffix("{") else {
            return String(first.drop { $0 != "{" }.dropFirst(2).dropLast(2))
        }
        let body = lines[line...].prefix { $0.hasPrefix("\(margin) ") }
        return body.map { String($0.dropFirst(margin.count + 4)) }.joined(separator: "\n")
    }
}

extension LibraryCalls {
    private func callDatabases() throws {
        let closed = try Database(name: "archive", config: config)
        try closed.close()
        provoke { try Database(name: "", config: config) }
        provoke {
            var readOnly = config
            readOnly.readOnly = true
            _ = try Database(name: "nosuch", config: readOnly)
        }
        provoke {
            var encrypted = config
            encrypted.encryptionKey = .environment("NO_SUCH_KEY")
            _ = try Database(name: "encrypted", config: encrypted)
        }
        provoke { try closed.defaultCollection() }
        provoke { try notes.inBatch { try notes.close() } }
        provoke { try Database.delete(withName: "notes", inDirectory: config.directory) }
        provoke {
            let path = try #require(notes.path)
            try Database.copy(fromPath: path, toDatabase: "archive", withConfig: config)
        }
        provoke { try notes.getBlob(properties: ["digest": 1]) }
        provoke { try notes.createQuery("SELECT FROM") }
    }

    private func callCollections() throws {
        let deleted = try notes.createCollection(name: "snacks")
        try notes.deleteCollection(name: "snacks")
        provoke { try notes.createCollection(name: "a b") }
        provoke { try notes.deleteCollection(name: "_default") }
        provoke { try deleted.document(id: "soup") }
        provoke { try meals.purge(id: "nosuch") }
        provoke {
            let soup = try #require(try meals.document(id: "soup"))
            try drinks.delete(document: soup)
        }
        provoke { try meals.createIndex(withName: "", config: ValueIndexConfiguration(["name"])) }
        provoke {
            let never = Date(timeIntervalSince1970: .infinity)
            try meals.setDocumentExpiration(id: "soup", expiration: never)
        }
    }

    private func callDocuments() {
        provoke { try MutableDocument(id: "a", json: "[1]") }
        provoke { try MutableArrayObject(json: "{}") }
        provoke { try meals.save(document: MutableDocument(id: "_x")) }
        provoke {
            let date = Date(timeIntervalSince1970: 1e12)
            try meals.save(document: MutableDocument(id: "a", data: ["date": date]))
        }
        provoke { try Blob(contentType: "image/png", fileURL: URL(filePath: "/nosuch.png")) }
    }

    private func callReplicators() throws {
        let target = try URLEndpoint(validating: "ws://127.0.0.1:1/notes")
        provoke { try URLEndpoint(validating: "127.0.0.1/notes") }
        var config = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: meals)],
            target: target
        )
        config.replicatorType = .push
        let pushing = Replicator(config: config)
        provoke { try pushing.pendingDocumentIds(collection: drinks) }
        config.replicatorType = .pull
        let pulling = Replicator(config: config)
        provoke { try pulling.pendingDocumentIds(collection: meals) }
    }
}
