@_spi(Modern) @_spi(Stores) internal import CouchbaseLiteSwift
internal import DivanExchange
internal import DivanPlatform
public import Foundation

extension Database {
    /// A format of `export`.
    public enum ExportFormat: Sendable {
        /// One JSON object per line; the property `_id` contains the document's ID.
        case lines
        /// One JSON array of such objects.
        case array
        /// Comma-separated values, with a column for each property; for one collection.
        case csv
        /// A plain SQLite database with a table for each collection.
        case sqlite

        /// The format for the extension of a file, without `gz` or `zst`: `csv`, `sqlite` or `sqlite3`, and lines for
        /// any other.
        init(of file: URL) {
            let name = FileCompression.nameInside(file.lastPathComponent)
            switch (name as NSString).pathExtension.lowercased() {
            case "csv": self = .csv
            case "sqlite", "sqlite3": self = .sqlite
            default: self = .lines
            }
        }
    }

    /// What an export wrote.
    public struct ExportSummary: Equatable, Sendable {
        /// The number of documents written.
        public var documentCount = 0
        /// The number of documents that are damaged, and were left out.
        public var damagedCount = 0
        /// The first 40 of them, each as `collection/ID`.
        public var damaged: [String] = []
        /// The number of blobs whose content the file lacks.
        ///
        /// With `includingBlobs`, these are the blobs that are not in the database. Without it, they are all blobs of the
        /// documents, and only counted in JSON.
        public var missingBlobCount = 0

        init(_ count: Int, _ damaged: DamagedDocuments, missingBlobCount: Int = 0) {
            documentCount = count
            damagedCount = damaged.count
            self.damaged = damaged.names
            self.missingBlobCount = missingBlobCount
        }
    }

    /// Writes all documents to a file, for other programs; see also `dump(to:since:progress:)`.
    ///
    /// The file contains one state of the database, and is replaced when it is complete. Documents that are not in the
    /// default collection have a property `_collection`, which `import(from:_:progress:)` of a database and `divan cp`
    /// read. A file whose name ends in `.gz` or `.zst` is compressed. The file of an encrypted database is not
    /// encrypted.
    ///
    /// A blob whose content is not in the database, because a pull skipped it, is exported without its content; its digest,
    /// length and type stay in the document. If ``ExportSummary/missingBlobCount`` is not 0, download the blobs with
    /// `Blob.fetch(from:)` or a pull with `Sync.Options.blobs` of `all`, and export again.
    ///
    /// ```swift
    /// try db.export(to: URL(filePath: "shop.jsonl"))
    /// try notes.export(to: URL(filePath: "notes.csv"))
    /// ```
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - format: Its format; `nil` to choose by its extension.
    ///   - includingBlobs: Whether it contains the content of blobs, as base64 or in a table; not for CSV.
    ///   - progress: Called for each document, some formats twice. An error that it throws stops the export and is
    ///     rethrown.
    /// - Returns: What was written.
    /// - Throws: ``DivanError/Code/invalidArgument`` for CSV, which has one collection; `corrupt` if an included
    ///   blob is damaged; `tooLarge` for a document of more than 64 MiB, or too many
    ///   columns; `alreadyExists` if an SQLite file would be next to another database's log; `notOpen`; file system
    ///   errors.
    @discardableResult
    public func export(
        to file: URL,
        as format: ExportFormat? = nil,
        includingBlobs: Bool = false,
        progress: ((ExchangeProgress) throws -> Void)? = nil
    ) throws -> ExportSummary {
        try export(
            nil,
            choosing: nil,
            to: file,
            as: format,
            includingBlobs: includingBlobs,
            progress
        )
    }

    /// Writes all documents to a file; see the synchronous form.
    ///
    /// Cancelling the task stops the export.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    @discardableResult
    public func export(
        to file: URL,
        as format: ExportFormat? = nil,
        includingBlobs: Bool = false,
        progress: (@Sendable (ExchangeProgress) throws -> Void)? = nil
    ) async throws -> ExportSummary {
        try await Background.stoppable(progress) {
            try self.export(to: file, as: format, includingBlobs: includingBlobs, progress: $0)
        }
    }

    /// Writes one collection, or all; with a choice, only its documents, which are counted first if the progress needs
    /// their number.
    func export(
        _ collection: DocumentCollection?,
        choosing choice: DocumentChoice?,
        countingFirst countsFirst: Bool = false,
        to file: URL,
        as format: ExportFormat?,
        includingBlobs: Bool,
        _ progress: ((ExchangeProgress) throws -> Void)?
    ) throws -> ExportSummary {
        let official = official
        let chosen = collection.map { [$0.official] }
        let format = format ?? ExportFormat(of: file)
        if case .csv = format, collection == nil || includingBlobs {
            throw collection == nil ? Self.severalTables : Self.tableWithBlobs
        }
        let compression = FileCompression(suffixOf: file.lastPathComponent)
        if case .sqlite = format, compression == nil { try Self.requireNoLog(beside: file) }
        return try Self.passing(progress, place: place) { progress in
            return try CompleteFile.write(file, isDurable: true) { fileSink in
                let compressed = try compression.map {
                    try CompressedOutput($0, name: file.path, to: fileSink)
                }
                let sink = compressed.map { $0.write } ?? fileSink
                let summary = try content(sink)
                try compressed?.finish()
                return summary
            }
            func content(_ sink: @escaping ByteSink) throws -> ExportSummary {
                switch format {
                case .csv:
                    guard let collection = collection?.official else { throw Self.severalTables }
                    let written = try official.exportCSV(
                        of: collection,
                        choosing: choice,
                        to: sink,
                        progress: progress
                    )
                    return ExportSummary(written.count, written.damaged)
                case .sqlite:
                    let written = try official.exportTables(
                        of: chosen,
                        embeddingBlobs: includingBlobs,
                        choosing: choice,
                        // It has as much space as the file will need.
                        in: file.deletingLastPathComponent().path(percentEncoded: false),
                        to: sink,
                        progress: progress
                    )
                    return ExportSummary(
                        written.count,
                        written.damaged,
                        missingBlobCount: written.missingBlobs.count + written.absentBlobCount
                    )
                case .lines:
                    return try texts(.lines)
                case .array:
                    return try texts(.array)
                }
                func texts(_ form: DocumentExport.Form) throws -> ExportSummary {
                    let written = try official.exportDocuments(
                        of: chosen,
                        as: form,
                        embeddingBlobs: includingBlobs,
                        skippingMissingBlobs: true,
                        choosing: choice,
                        countingFirst: countsFirst,
                        to: sink,
                        progress: progress
                    )
                    return ExportSummary(
                        written.count,
                        written.damaged,
                        missingBlobCount: written.omittedBlobCount
                    )
                }
            }
        }
    }

    private static let severalTables = DivanError(
        .invalidArgument,
        problem: "a CSV file contains one collection",
        remedy: "export a collection, or choose another format"
    )

    private static let tableWithBlobs = DivanError(
        .invalidArgument,
        problem: "a CSV file cannot contain blobs",
        remedy: "leave them out, or choose another format"
    )

    /// SQLite would take another database's log for that of the file.
    private static func requireNoLog(beside file: URL) throws {
        let named = file.path(percentEncoded: false)
        let path = (try? FileSystem.realPath(named)) ?? named
        for log in ["\(path)-wal", "\(path)-journal"] {
            guard let status = try? FileStatus(of: log), status.byteCount > 0 else { continue }
            throw DivanError(
                .alreadyExists,
                place: log,
                problem: "it belongs to another SQLite database",
                remedy: "choose another name"
            )
        }
    }

    /// Runs an exchange with the handler of the package below; errors of the caller's handler are rethrown unchanged.
    static func passing<Output>(
        _ progress: ((ExchangeProgress) throws -> Void)?,
        place: @autoclosure () -> String,
        _ body: (@escaping ProgressHandler) throws -> Output
    ) throws -> Output {
        guard let progress else {
            return try DivanError.converting(place: place()) { try body { _ in } }
        }
        var own: (any Error)?
        do {
            return try withoutActuallyEscaping(progress) { progress in
                try body { state in
                    do {
                        try progress(ExchangeProgress(state))
                    } catch {
                        own = error
                        throw error
                    }
                }
            }
        } catch {
            throw own ?? DivanError(error, place: place())
        }
    }
}

extension DocumentCollection {
    /// Writes the documents to a file, for other programs; see `Database.export(to:as:includingBlobs:progress:)`.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - format: Its format; `nil` to choose by its extension.
    ///   - includingBlobs: Whether it contains the content of blobs, as base64 or in a table; not for CSV.
    ///   - progress: Called for each document, some formats twice.
    /// - Returns: What was written.
    /// - Throws: The same errors as the export of a database.
    @discardableResult
    public func export(
        to file: URL,
        as format: Database.ExportFormat? = nil,
        includingBlobs: Bool = false,
        progress: ((Database.ExchangeProgress) throws -> Void)? = nil
    ) throws -> Database.ExportSummary {
        try database.export(
            self,
            choosing: nil,
            to: file,
            as: format,
            includingBlobs: includingBlobs,
            progress
        )
    }

    /// Writes the documents to a file; see the synchronous form.
    ///
    /// Cancelling the task stops the export.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    @discardableResult
    public func export(
        to file: URL,
        as format: Database.ExportFormat? = nil,
        includingBlobs: Bool = false,
        progress: (@Sendable (Database.ExchangeProgress) throws -> Void)? = nil
    ) async throws -> Database.ExportSummary {
        try await Background.stoppable(progress) {
            try self.export(to: file, as: format, includingBlobs: includingBlobs, progress: $0)
        }
    }
}
