import CouchbaseLiteSwift
import DivanExchange
import DivanTestKit
import Foundation

/// A database with a few documents, and a directory for others.
final class SampleDatabase {
    let folder: TemporaryDirectory
    let config: DatabaseConfiguration
    let database: Database

    init() throws {
        folder = try TemporaryDirectory()
        var config = DatabaseConfiguration()
        config.directory = folder.path
        self.config = config
        database = try Database(name: "shop", config: config)
    }

    deinit { try? database.close() }

    var items: CouchbaseLiteSwift.Collection { get throws { try database.defaultCollection() } }

    /// Saves a document.
    func save(_ id: String, _ properties: [String: Any]) throws {
        try items.save(document: MutableDocument(id: id, data: properties))
    }

    /// Saves a document with a blob.
    func save(_ id: String, blob: String) throws {
        let document = MutableDocument(id: id)
        document.setBlob(Blob(contentType: "text/plain", data: Data(blob.utf8)), forKey: "photo")
        try items.save(document: document)
    }

    /// A dump of the database.
    func dump(since former: DumpEnd? = nil) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try database.dump(since: former) { bytes += $0 }
        return bytes
    }

    /// Restores dumps to a database with another name.
    @discardableResult
    func restore(_ dumps: [UInt8]...) throws -> DumpRestoration {
        let sources = dumps.enumerated().map { ByteSource(name: "dump \($0)", bytes: $1) }
        return try Database.restore(from: sources, toDatabase: "copy", withConfig: config)
    }

    /// The documents of the copy as JSON lines, and with their blobs.
    func copiedLines() throws -> String {
        let copy = try Database(name: "copy", config: config)
        defer { try? copy.close() }
        return try Self.lines(of: copy)
    }

    /// The documents of a database as JSON lines, and with their blobs.
    static func lines(of database: Database) throws -> String {
        var bytes: [UInt8] = []
        try database.exportDocuments(embeddingBlobs: true) { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Imports a text, and returns what was imported.
    @discardableResult
    func importing(
        _ text: String,
        as format: DocumentFormat = .json,
        rules: DocumentImport.Rules = DocumentImport.Rules(),
        report: (DocumentImport.Notice) -> Void = { _ in }
    ) throws -> DocumentImport {
        try database.importDocuments(
            from: ByteSource(name: "input", bytes: Array(text.utf8)),
            as: format,
            rules: rules,
            report: report
        )
    }

    /// Whether there is a directory of the copy, or of an attempt to create it.
    var hasTraceOfCopy: Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.contains { $0.hasPrefix("copy") }
    }
}
