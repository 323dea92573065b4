@_spi(Modern) @_spi(Stores) internal import CouchbaseLiteSwift
internal import DivanDatabase
internal import DivanExchange
internal import DivanJSON
internal import DivanPlatform
internal import DivanRevisions
public import Foundation

extension Database {
    /// How to import documents.
    public struct ImportOptions: Sendable {
        /// The format of a file with documents.
        public enum Format: Sendable {
            /// JSON objects, one per line, indented, or in an array.
            case json
            /// The value at a JSON pointer in a JSON text: an array of documents, or an object of IDs and documents.
            ///
            /// `/items` for `{"items": […]}`; an empty pointer for `{"id": {…}}`.
            case nestedJSON(path: String)
            /// Extended JSON of MongoDB, as mongoexport writes it; with a path, as in `nestedJSON`.
            ///
            /// Object IDs, dates and UUIDs become strings, numbers become numbers, and binary data becomes blobs. A
            /// decimal with more digits than a number can hold becomes a string, as do infinite numbers and NaN.
            case mongo(path: String? = nil)
            /// GeoJSON: each feature is a document, whose ID is the feature's `id`.
            case geoJSON
            /// Comma-separated values, whose first line contains the names of the properties.
            ///
            /// `separator` is found in the text if it is `nil`. A field becomes a number, `true`, `false` or `null` only
            /// if JSON writes it with the same text, and never in a text column.
            case csv(separator: Character? = nil, textColumns: [String] = [])
            /// A response of CouchDB, or the output of pouchdb-dump or couchbackup.
            ///
            /// With revisions, documents keep their IDs and history; the database must use revision trees.
            case couch(keepingRevisions: Bool = false)
        }

        /// The format; `nil` for CSV if the file's extension is `csv` or `tsv`, for GeoJSON if it is `geojson`, and
        /// otherwise for JSON.
        ///
        /// Files that are compressed with gzip or Zstandard are decompressed; `gz` and `zst` after the extension are
        /// ignored.
        public var format: Format?
        /// The property with the document's ID.
        ///
        /// A document without it gets a random ID. A property other than `_id` must exist in one of the first 1,000 documents.
        public var idProperty: String
        /// Whether that property also stays in the document.
        public var keepsIDProperty: Bool
        /// Whether invalid documents are skipped; otherwise, the first one ends the import.
        public var skipsInvalid = false
        /// Whether everything is read and checked, and nothing saved.
        public var isDryRun: Bool

        /// Creates options.
        ///
        /// - Parameters:
        ///   - format: See ``format-swift.property``.
        ///   - idProperty: See ``idProperty``.
        ///   - keepsIDProperty: See ``keepsIDProperty``.
        ///   - skipsInvalid: See ``skipsInvalid``.
        ///   - isDryRun: See ``isDryRun``.
        public init(
            format: Format? = nil,
            idProperty: String = "_id",
            keepsIDProperty: Bool = false,
            skipsInvalid: Bool = false,
            isDryRun: Bool = false
        ) {
            self.format = format
            self.idProperty = idProperty
            self.keepsIDProperty = keepsIDProperty
            self.skipsInvalid = skipsInvalid
            self.isDryRun = isDryRun
        }

        /// The format of a file, in the package below.
        func format(of file: URL) throws -> DocumentFormat {
            switch format {
            case nil: return DocumentFormat(suffixOf: file.lastPathComponent)
            case .json: return .json
            case .nestedJSON(let path): return .nestedJSON(try Self.pointer(path, of: file))
            case .mongo(let path): return .mongo(try path.map { try Self.pointer($0, of: file) })
            case .geoJSON: return .geoJSON
            case .csv(let separator, let textColumns):
                guard separator?.isASCII ?? true else {
                    throw DivanError(
                        .invalidArgument,
                        place: file.path,
                        problem: "the separator is not an ASCII character",
                        remedy: "use a comma, a semicolon, a tab or a vertical bar"
                    )
                }
                return .csv(CSVRules(separator: separator?.asciiValue, textColumns: textColumns))
            case .couch(let keepsRevisions): return .couch(keepingRevisions: keepsRevisions)
            }
        }

        private static func pointer(_ text: String, of file: URL) throws -> JSONPointer {
            guard let pointer = JSONPointer(text) else {
                throw DivanError(
                    .invalidArgument,
                    place: file.path,
                    problem: "'\(text)' is not a JSON pointer",
                    remedy: "begin it with a slash, such as /items"
                )
            }
            return pointer
        }

        var keepsRevisions: Bool {
            if case .couch(keepingRevisions: true) = format { true } else { false }
        }
    }

    /// What an import did.
    public struct ImportSummary: Equatable, Sendable {
        /// The number of documents saved; in a dry run, of those that would be.
        public var savedCount = 0
        /// In a dry run: the number of those that exist with another content.
        public var replacedCount = 0
        /// The number of documents that already existed with the same content.
        public var unchangedCount = 0
        /// The number of invalid documents that were skipped, and of those that were changed here and in the source.
        public var skippedCount = 0
        /// The first 40 reasons for it, each with its place.
        public var skipped: [String] = []
        /// The digests of blobs that saved documents refer to, and that are neither in the database nor at a peer; empty
        /// in a dry run.
        public var missingBlobs: [String] = []
        /// The number of documents without an ID, which got a random one; a second import saves them again.
        public var randomIDCount = 0
    }

    /// Imports documents into the collections that they name under `_collection`, or else into the default one.
    ///
    /// A thousand documents are saved in one transaction, unless the import is part of a transaction. If it fails or is
    /// stopped, those that were read before are kept, and the same file can be imported again. A document `{"_id": "x", "_deleted": true}` deletes `x`.
    ///
    /// - Parameters:
    ///   - file: The file, or a directory of `.json` files, whose names are the IDs unless they contain others.
    ///   - options: The format, the property with the ID, and what to skip.
    ///   - progress: Called after each document, and at most once per 256 KiB of the file; without a total. An error that
    ///     it throws stops the import and is rethrown.
    /// - Returns: What was saved.
    /// - Throws: ``DivanError/Code/decodingFailed`` with the line for an invalid document, or one of more than 64 MiB,
    ///   and with the byte for a damaged compressed file; `unsupported` for a Zstandard file if zstd is not installed;
    ///   `invalidArgument`; `readOnly`; `notOpen`; file system errors.
    @discardableResult
    public func `import`(
        from file: URL,
        _ options: ImportOptions = ImportOptions(),
        progress: ((ExchangeProgress) throws -> Void)? = nil
    ) throws -> ImportSummary {
        try read(file, into: nil, options, progress)
    }

    /// Imports documents; see the synchronous form.
    ///
    /// Cancelling the task stops the import.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    @discardableResult
    public func `import`(
        from file: URL,
        _ options: ImportOptions = ImportOptions(),
        progress: (@Sendable (ExchangeProgress) throws -> Void)? = nil
    ) async throws -> ImportSummary {
        try await Background.stoppable(progress) {
            try self.import(from: file, options, progress: $0)
        }
    }

    /// Imports into a collection, or into those that the documents name.
    fileprivate func read(
        _ file: URL,
        into collection: DocumentCollection?,
        _ options: ImportOptions,
        _ progress: ((ExchangeProgress) throws -> Void)?
    ) throws -> ImportSummary {
        try CompleteFile.requireFile(file)
        let format = try options.format(of: file)
        try requireFitting(options, collection)
        let rules = DocumentImport.Rules(
            collection: collection?.path ?? .default,
            readsCollections: collection == nil,
            ids: ImportIDs(
                key: options.idProperty,
                keepsKey: options.keepsIDProperty,
                isRequired: options.idProperty != "_id"
            ),
            skipsInvalid: options.skipsInvalid,
            isDry: options.isDryRun,
            keepsRevisions: options.keepsRevisions
        )
        var summary = ImportSummary()
        let path = file.path(percentEncoded: false)
        let isDirectory = (try? FileStatus(of: path).kind) == .directory
        if isDirectory, options.format.map({ !$0.isJSON }) ?? false { throw Self.onlyJSON(path) }
        return try Self.passing(progress, place: place) { progress in
            let documents =
                if isDirectory {
                    try official.importDocuments(
                        fromDirectory: path,
                        rules: rules,
                        report: { summary.add($0) },
                        progress: progress
                    )
                } else {
                    try official.importDocuments(
                        from: ByteSource(path: path),
                        as: format,
                        rules: rules,
                        report: { summary.add($0) },
                        progress: progress
                    )
                }
            summary.savedCount = documents.savedCount
            summary.replacedCount = documents.replacedCount
            summary.unchangedCount = documents.unchangedCount
            summary.randomIDCount = documents.ids.randomCount
            summary.missingBlobs = try documents.missingBlobs().map(\.description)
            return summary
        }
    }

    /// Refuses an import into a deleted collection, and revisions of CouchDB next to version vectors.
    private func requireFitting(
        _ options: ImportOptions,
        _ collection: DocumentCollection?
    ) throws {
        try DivanError.converting(place: collection?.place ?? place) {
            try collection?.official.readStore { _ in }
            guard options.keepsRevisions, try store().scheme != .trees else { return }
            throw DivanError(
                .invalidArgument,
                place: place,
                problem:
                    "it uses version vectors, and the revisions of CouchDB need revision trees",
                remedy: "import the documents without their revisions"
            )
        }
    }

    private static func onlyJSON(_ directory: String) -> DivanError {
        DivanError(
            .invalidArgument,
            place: directory,
            problem: "only JSON files are read from a directory",
            remedy: "name a file, or leave the format out"
        )
    }
}

extension Database.ImportOptions.Format {
    fileprivate var isJSON: Bool {
        if case .json = self { true } else { false }
    }
}

extension Database.ImportSummary {
    private static let namedCount = 40

    /// Notes a document that was left out.
    fileprivate mutating func add(_ notice: DocumentImport.Notice) {
        let reason: String
        switch notice {
        case .tooLargeToSync: return
        case .skipped(let error): reason = error.description
        case .diverged(let id): reason = "\(id): changed both here and in the source"
        }
        skippedCount += 1
        if skippedCount <= Self.namedCount { skipped.append(reason) }
    }
}

extension DocumentCollection {
    /// Imports documents into the collection, wherever they come from; see `Database.import(from:_:progress:)`.
    ///
    /// ```swift
    /// let added = try notes.import(from: URL(filePath: "notes.csv"), .init(idProperty: "number"))
    /// print(added.savedCount, added.unchangedCount)
    /// ```
    ///
    /// - Parameters:
    ///   - file: The file, or a directory of `.json` files, whose names are the IDs unless they contain others.
    ///   - options: The format, the property with the ID, and what to skip.
    ///   - progress: Called after each document, and at most once per 256 KiB of the file; without a total.
    /// - Returns: What was saved.
    /// - Throws: The same errors as the import into a database.
    @discardableResult
    public func `import`(
        from file: URL,
        _ options: Database.ImportOptions = Database.ImportOptions(),
        progress: ((Database.ExchangeProgress) throws -> Void)? = nil
    ) throws -> Database.ImportSummary {
        try database.read(file, into: self, options, progress)
    }

    /// Imports documents into the collection; see the synchronous form.
    ///
    /// Cancelling the task stops the import.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    @discardableResult
    public func `import`(
        from file: URL,
        _ options: Database.ImportOptions = Database.ImportOptions(),
        progress: (@Sendable (Database.ExchangeProgress) throws -> Void)? = nil
    ) async throws -> Database.ImportSummary {
        try await Background.stoppable(progress) {
            try self.import(from: file, options, progress: $0)
        }
    }
}
