@_spi(Stores) public import CouchbaseLiteSwift
import DivanDatabase
import Foundation

extension Database {
    /// Writes a dump: the database with all known revisions, tombstones, conflicts, expirations and blobs, as text.
    ///
    /// The dump of an encrypted database is not encrypted.
    ///
    /// - Parameters:
    ///   - former: The end of the dump that this one continues (``DumpEnd/last(ofFile:)``); `nil` to write everything.
    ///   - sink: Receives the dump.
    ///   - progress: Is called for each line.
    /// - Returns: What was written, and what is damaged or missing.
    /// - Throws: As ``DumpWriter/write(since:)``.
    @discardableResult
    public func dump(
        since former: DumpEnd? = nil,
        to sink: @escaping ByteSink,
        progress: @escaping ProgressHandler = { _ in }
    ) throws -> DumpWriter {
        var writer = try DumpWriter(self, to: sink, progress: progress)
        try writer.write(since: former)
        return writer
    }

    /// Recreates a database from dumps.
    ///
    /// - Parameters:
    ///   - sources: A dump, and then the dumps that continue it, in the order in which they were made.
    ///   - name: The name of the new database.
    ///   - config: The directory and the key of the new database.
    ///   - progress: Is called for each line.
    /// - Returns: What was restored, and what the dumps lack.
    /// - Throws: As ``DumpRestoration/read(_:indexing:progress:)``.
    @discardableResult
    public static func restore(
        from sources: [ByteSource],
        toDatabase name: String,
        withConfig config: DatabaseConfiguration = DatabaseConfiguration(),
        progress: ProgressHandler = { _ in }
    ) throws -> DumpRestoration {
        let directory = URL(fileURLWithPath: config.directory)
        // By bytes: a slash with a combining mark is another character, but also a slash to the system.
        let bytes = name.utf8.map { $0 == UInt8(ascii: "/") ? UInt8(ascii: ":") : $0 }
        let file = String(decoding: bytes, as: UTF8.self) + ".cblite2"
        let bundle = directory.appendingPathComponent(file).path
        let restoration = try DumpRestoration(creating: bundle, key: config.encryptionKey)
        try restoration.read(sources, progress: progress)
        return restoration
    }

    /// Writes the documents of collections as JSON, which ``importDocuments(from:as:rules:report:progress:)`` reads.
    ///
    /// - Parameters:
    ///   - collections: What is written; `nil` for all collections of the database. With several collections,
    ///     documents name theirs.
    ///   - form: How documents are arranged.
    ///   - embedsBlobs: Whether the content of blobs is included, as base64.
    ///   - skipsMissingBlobs: Whether the content of a blob is left out if the database does not have it; otherwise,
    ///     the export fails.
    ///   - choice: The documents that are written; `nil` for all, in the order of IDs.
    ///   - countsFirst: Whether a choice is called once more, to count the documents for the progress.
    ///   - sink: Receives the text.
    ///   - progress: Is called after each document.
    /// - Returns: What was written, and what is damaged.
    /// - Throws: As ``DocumentExport/add(_:in:since:choosing:namingCollection:)``.
    @discardableResult
    public func exportDocuments(
        of collections: [CouchbaseLiteSwift.Collection]? = nil,
        as form: DocumentExport.Form = .lines,
        embeddingBlobs embedsBlobs: Bool = false,
        skippingMissingBlobs skipsMissingBlobs: Bool = false,
        choosing choice: DocumentChoice? = nil,
        countingFirst countsFirst: Bool = false,
        to sink: @escaping ByteSink,
        progress: @escaping ProgressHandler = { _ in }
    ) throws -> DocumentExport {
        var export = DocumentExport(
            form,
            embeddingBlobs: embedsBlobs,
            skippingMissingBlobs: skipsMissingBlobs,
            to: sink,
            progress: progress
        )
        try withSnapshot { snapshot in
            let collections = try collections ?? snapshot.collections()
            if choice == nil || countsFirst {
                let paths = collections.map { CollectionPath($0.qualifiedName) }
                export.expectedCount = try snapshot.reader.count(in: paths, choosing: choice)
            }
            for collection in collections {
                try export.add(
                    collection,
                    in: snapshot,
                    choosing: choice,
                    namingCollection: collections.count > 1
                )
            }
        }
        try export.finish()
        return export
    }

    /// Writes the documents of a collection as comma-separated values.
    ///
    /// - Parameters:
    ///   - collection: The collection.
    ///   - choice: The documents that are written, called twice; `nil` for all, in the order of IDs.
    ///   - sink: Receives the text.
    ///   - progress: Is called for each document, twice: the columns must be known first.
    /// - Returns: What was written, and what is damaged.
    /// - Throws: As ``CSVExport/write(_:of:among:choosing:)``.
    @discardableResult
    public func exportCSV(
        of collection: CouchbaseLiteSwift.Collection,
        choosing choice: DocumentChoice? = nil,
        to sink: @escaping ByteSink,
        progress: @escaping ProgressHandler = { _ in }
    ) throws -> CSVExport {
        let store = try openStore()
        var export = CSVExport(to: sink, progress: progress)
        try store.read { reader in
            let living = try UnexpiredDocuments(in: reader)
            let path = CollectionPath(collection.qualifiedName)
            try export.write(path, of: reader, among: living, choosing: choice)
        }
        return export
    }

    /// Writes a plain SQLite database with a table for each collection.
    ///
    /// - Parameters:
    ///   - collections: What is written; `nil` for all collections of the database.
    ///   - embedsBlobs: Whether a further table contains the blobs.
    ///   - choice: The documents that are written, called twice for each collection; `nil` for all, in the order of IDs.
    ///   - directory: A directory for the file until it is complete; `nil` for the one of temporary files.
    ///   - sink: Receives the bytes of the SQLite file.
    ///   - progress: Is called for each document, twice: the columns must be known first.
    /// - Returns: What was written, and what is damaged or missing.
    /// - Throws: As ``TableExport/add(_:of:among:choosing:)``.
    @discardableResult
    public func exportTables(
        of collections: [CouchbaseLiteSwift.Collection]? = nil,
        embeddingBlobs embedsBlobs: Bool = false,
        choosing choice: DocumentChoice? = nil,
        in directory: String? = nil,
        to sink: ByteSink,
        progress: @escaping ProgressHandler = { _ in }
    ) throws -> TableExport {
        let store = try openStore()
        var export = try TableExport(
            in: directory ?? FileManager.default.temporaryDirectory.path,
            embedding: embedsBlobs ? store.blobs : nil,
            progress: progress
        )
        try store.read { reader in
            let living = try UnexpiredDocuments(in: reader)
            let named = collections?.map { CollectionPath($0.qualifiedName) }
            let paths = try named ?? reader.collections()
            if choice == nil { export.expectedCount = try reader.count(in: paths) }
            for path in paths {
                try export.add(path, of: reader, among: living, choosing: choice)
            }
        }
        try export.finish(to: sink)
        return export
    }

    /// Imports the documents of an input.
    ///
    /// A thousand documents are saved in one transaction. If the import fails or is stopped, those that were read
    /// before are kept, and the same input can be imported again.
    ///
    /// - Parameters:
    ///   - source: The input.
    ///   - format: Its format.
    ///   - rules: The collection, the IDs, and what is skipped.
    ///   - report: Is called for documents that are skipped, and with warnings.
    ///   - progress: Is called after each document, and at most once per 256 KiB of the input.
    /// - Returns: What was saved.
    /// - Throws: `ExchangeError` for an invalid input or document; `StoreError`; errors of the source and the progress
    ///   handler.
    @discardableResult
    public func importDocuments(
        from source: ByteSource,
        as format: DocumentFormat = .json,
        rules: DocumentImport.Rules = DocumentImport.Rules(),
        report: (DocumentImport.Notice) -> Void = { _ in },
        progress: ProgressHandler = { _ in }
    ) throws -> DocumentImport {
        try importDocuments(from: .bytes(source, format), rules, report, progress)
    }

    /// Imports the `.json` files of a directory, each with one document whose ID is the name of the file, unless it contains one.
    ///
    /// - Parameters:
    ///   - path: The directory.
    ///   - rules: The collection, the IDs, and what is skipped.
    ///   - report: Is called for documents that are skipped, and with warnings.
    ///   - progress: Is called after each document.
    /// - Returns: What was saved.
    /// - Throws: `ExchangeError` with `notFound` if there are no such files; as
    ///   ``importDocuments(from:as:rules:report:progress:)``.
    @discardableResult
    public func importDocuments(
        fromDirectory path: String,
        rules: DocumentImport.Rules = DocumentImport.Rules(),
        report: (DocumentImport.Notice) -> Void = { _ in },
        progress: ProgressHandler = { _ in }
    ) throws -> DocumentImport {
        try importDocuments(from: .directory(path), rules, report, progress)
    }

    /// Where the documents of an import are.
    private enum DocumentInput {
        case bytes(ByteSource, DocumentFormat)
        case directory(String)

        /// Calls `body` for each document, and `check` after each 256 KiB of an input.
        func read(
            checking check: () throws -> Void,
            _ body: (inout DocumentText) throws -> Void
        ) throws {
            switch self {
            case .bytes(let source, let format):
                try withoutActuallyEscaping(check) { check in
                    var byteCount = 0
                    let checked = ByteSource(name: source.name) {
                        if byteCount >= ByteSource.pieceByteCount {
                            byteCount = 0
                            try check()
                        }
                        let piece = try source.read()
                        byteCount += piece.count
                        return piece
                    }
                    try format.read(checked, body)
                }
            case .directory(let path): try DocumentFormat.readDirectory(path, body)
            }
        }
    }

    private func importDocuments(
        from input: DocumentInput,
        _ rules: DocumentImport.Rules,
        _ report: (DocumentImport.Notice) -> Void,
        _ progress: ProgressHandler
    ) throws -> DocumentImport {
        var documents = try DocumentImport(into: self, rules: rules)
        do {
            // An input without documents can be long, too.
            func check() throws { try progress(documents.progress) }
            try input.read(checking: check) { entry in
                try documents.add(&entry, report: report)
                try check()
            }
            try documents.finish(report: report)
        } catch {
            try? documents.commit(report: report)
            throw error
        }
        return documents
    }
}
