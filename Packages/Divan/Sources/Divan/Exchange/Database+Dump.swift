@_spi(Modern) @_spi(Stores) internal import CouchbaseLiteSwift
internal import DivanDatabase
internal import DivanExchange
internal import DivanPlatform
public import Foundation

extension Database {
    /// What a dump contains.
    public struct DumpSummary: Equatable, Sendable {
        /// The number of documents, with deleted ones.
        public var documentCount = 0
        /// The number of blobs.
        public var blobCount = 0
        /// The digests of blobs that are neither in the database nor at a peer.
        public var missingBlobs: [String] = []
        /// The digests of blobs whose content is damaged, and which were left out.
        public var damagedBlobs: [String] = []
        /// The number of documents that are damaged, and were left out.
        public var damagedCount = 0
        /// The first 40 of them, each as `collection/ID`.
        public var damaged: [String] = []
        /// What is wrong with the file of the database, and may hide documents; `nil` if it is sound.
        public var damage: String?

        /// Whether nothing is missing or damaged.
        public var isComplete: Bool {
            missingBlobs.isEmpty && damagedBlobs.isEmpty && damagedCount == 0 && damage == nil
        }
    }

    /// What a restoration created.
    public struct RestoreSummary: Equatable, Sendable {
        /// The number of documents, with deleted ones; one that a later dump changes counts again.
        public var documentCount = 0
        /// The number of blobs.
        public var blobCount = 0
        /// The number of documents that have expired since, and were left out.
        public var expiredCount = 0
        /// The digests of blobs that no dump contains.
        public var missingBlobs: [String] = []
        /// The digests of blobs whose content no dump contains undamaged.
        public var damagedBlobs: [String] = []
        /// Indexes that could not be created, each with the reason.
        public var omittedIndexes: [String] = []

        /// Whether nothing is missing or damaged.
        public var isComplete: Bool {
            missingBlobs.isEmpty && damagedBlobs.isEmpty && omittedIndexes.isEmpty
        }
    }

    /// Writes a backup as text: all documents with revisions, deletions, conflicts, expirations and blobs.
    ///
    /// The database may be in use. The file contains one state of it, and is replaced when it is complete. The dump of an
    /// encrypted database is not encrypted.
    ///
    /// ```swift
    /// let written = try db.dump(to: monday)
    /// guard written.isComplete else { … }
    /// let changes = try db.dump(to: tuesday, since: monday)
    /// let restored = try Database.restore(from: [monday, tuesday], to: "shop-again")
    /// ```
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - previous: The dump of this database that this one continues; `nil` for a complete one.
    ///   - progress: Called for each line. An error that it throws stops the dump and is rethrown.
    /// - Returns: What was written.
    /// - Throws: ``DivanError/Code/invalidArgument`` if the previous dump is not of this database or not complete, or is
    ///   the file itself; `insideTransaction`; `corrupt` if damage would make a continuation lose documents; `notOpen`;
    ///   file system errors.
    public func dump(
        to file: URL,
        since previous: URL? = nil,
        progress: ((ExchangeProgress) throws -> Void)? = nil
    ) throws -> DumpSummary {
        try Self.passing(progress, place: place) { progress in
            // It would contain changes that may be rolled back, and the next dump would continue after them.
            guard try !store().isWriting else {
                throw DivanError(
                    .insideTransaction,
                    place: place,
                    problem: "a dump cannot be made inside a transaction",
                    remedy: "dump before or after it"
                )
            }
            let former = try previous.map { try Self.end(of: $0, continuedIn: file) }
            return try CompleteFile.write(file, isDurable: true) { sink in
                let written = try Self.locating(previous) {
                    try official.dump(since: former, to: sink, progress: progress)
                }
                return DumpSummary(
                    documentCount: written.documentCount,
                    blobCount: written.blobCount,
                    missingBlobs: written.missingBlobs.map(\.description),
                    damagedBlobs: written.alteredBlobs.map(\.description),
                    damagedCount: written.damaged.count,
                    damaged: written.damaged.names,
                    damage: written.hidingDamage
                        ?? (written.hasDamagedIndex ? "the index of document IDs is damaged" : nil)
                )
            }
        }
    }

    /// The end of a dump that another file continues.
    private static func end(of previous: URL, continuedIn file: URL) throws -> DumpEnd {
        try CompleteFile.requireFile(previous)
        let paths = [previous, file].map { $0.path(percentEncoded: false) }
        if let status = try? FileStatus(of: paths[0]), let other = try? FileStatus(of: paths[1]),
            status.isSameFile(as: other)
        {
            throw DivanError(
                .invalidArgument,
                place: file.path,
                problem: "the dump would replace the one that it continues",
                remedy: "choose another file"
            )
        }
        return try DumpEnd.last(ofFile: paths[0])
    }

    /// Names the previous dump as the place where a dump cannot be continued.
    private static func locating<Output>(
        _ previous: URL?,
        _ body: () throws -> Output
    ) throws -> Output {
        do {
            return try body()
        } catch var error as ExchangeError where error.code == .notContinuable {
            error.place = error.place ?? previous?.path
            throw error
        }
    }

    /// Writes a backup as text; see the synchronous form.
    ///
    /// Cancelling the task stops the dump, except while the pages of the file are verified.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public func dump(
        to file: URL,
        since previous: URL? = nil,
        progress: (@Sendable (ExchangeProgress) throws -> Void)? = nil
    ) async throws -> DumpSummary {
        try await Background.stoppable(progress) {
            try self.dump(to: file, since: previous, progress: $0)
        }
    }

    /// Creates a database from dumps: completely, or not at all.
    ///
    /// It is not opened. It has its own sync checkpoints, so it can be used next to the original.
    ///
    /// - Parameters:
    ///   - dumps: A complete dump, and then the dumps that continue it, in the order in which they were made.
    ///   - name: The name of the new database.
    ///   - directory: The directory for it; `nil` for the default of `open(_:in:_:)`.
    ///   - key: The key to encrypt it with; `nil` for an unencrypted database.
    ///   - progress: Called for each line, without a total. An error that it throws stops the restoration and is
    ///     rethrown.
    /// - Returns: What was restored.
    /// - Throws: ``DivanError/Code/alreadyExists`` if a database with that name exists; `decodingFailed` with the line
    ///   for a truncated or changed dump; `invalidArgument` without a dump or a name; file system errors.
    public static func restore(
        from dumps: [URL],
        to name: String,
        in directory: URL? = nil,
        key: EncryptionKey? = nil,
        progress: ((ExchangeProgress) throws -> Void)? = nil
    ) throws -> RestoreSummary {
        guard !dumps.isEmpty, !name.isEmpty else {
            throw DivanError(
                .invalidArgument,
                problem: dumps.isEmpty ? "the list of dumps is empty" : "the name is empty",
                remedy: dumps.isEmpty
                    ? "pass at least one file" : "pass the name of the new database"
            )
        }
        return try passing(progress, place: "database \(name)") { progress in
            let sources = try dumps.map { dump in
                try CompleteFile.requireFile(dump)
                return ByteSource(openingWhenRead: dump.path(percentEncoded: false))
            }
            let restored = try OfficialDatabase.restore(
                from: sources,
                toDatabase: name,
                withConfig: Options(key: key).configuration(in: directory),
                progress: progress
            )
            return RestoreSummary(
                documentCount: restored.documentCount,
                blobCount: restored.blobCount,
                expiredCount: restored.expiredCount,
                missingBlobs: restored.missingBlobs.map(\.description),
                damagedBlobs: restored.alteredBlobs.map(\.description),
                omittedIndexes: restored.omittedIndexes
            )
        }
    }

    /// Creates a database from dumps; see the synchronous form.
    ///
    /// Cancelling the task stops the restoration, except while indexes are created at its end.
    ///
    /// - Throws: The same errors as the synchronous form; ``DivanError/Code/cancelled``.
    public static func restore(
        from dumps: [URL],
        to name: String,
        in directory: URL? = nil,
        key: EncryptionKey? = nil,
        progress: (@Sendable (ExchangeProgress) throws -> Void)? = nil
    ) async throws -> RestoreSummary {
        try await Background.stoppable(progress) {
            try restore(from: dumps, to: name, in: directory, key: key, progress: $0)
        }
    }
}

extension ByteSource {
    /// A file that is open only while it is read, so that there can be many.
    fileprivate init(openingWhenRead path: String) {
        var file: ByteSource?
        var isAtEnd = false
        self.init(name: path) {
            guard !isAtEnd else { return [] }
            let open = try file ?? ByteSource(path: path)
            let piece = try open.read()
            isAtEnd = piece.isEmpty
            file = isAtEnd ? nil : open
            return piece
        }
    }
}
