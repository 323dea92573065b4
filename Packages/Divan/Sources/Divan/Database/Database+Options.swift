internal import CouchbaseLiteSwift
public import DivanCompression
public import DivanDatabase
internal import Foundation

extension Database {
    /// How to open a database.
    ///
    /// ```swift
    /// let db = try Database.open("notes", .init(key: .credential("notes")))
    /// ```
    public struct Options: Sendable {
        /// The key of an encrypted database; `nil` for an unencrypted one.
        ///
        /// A new database is encrypted with it.
        public var key: EncryptionKey?
        /// Whether it is opened for reading only; it can then be open while another process writes.
        public var isReadOnly = false
        /// Whether opening fails if the database does not exist.
        public var mustExist = false
        /// Whether every commit waits until the data is on disk.
        ///
        /// Otherwise a power failure can lose the last commits; a crash of the program loses nothing in either case.
        public var isDurable = false
        /// How revisions are identified; `nil` for the scheme that the database has, or `revisionTrees` for a new one.
        public var revisions: RevisionScheme?
        /// The storage engine; `nil` for SQLite.
        ///
        /// A database belongs to the engine that created it.
        public var engine: (any StorageEngineProvider)?
        /// Custom codecs for bodies, each under its number from 128 to 255, which is stored in the database.
        ///
        /// Select one with `DocumentCollection.compressBodies(with:)`.
        public var bodyCodecs: [UInt8: any DictionaryCodec] = [:]
        /// Whether the tools `divan status` and `divan top` show what this database syncs.
        public var publishesStatus = false

        /// Creates options.
        ///
        /// - Parameters:
        ///   - key: See ``key``.
        ///   - isReadOnly: See ``isReadOnly``.
        ///   - mustExist: See ``mustExist``.
        public init(key: EncryptionKey? = nil, isReadOnly: Bool = false, mustExist: Bool = false) {
            self.key = key
            self.isReadOnly = isReadOnly
            self.mustExist = mustExist
        }

        /// The schemes of revision IDs; all peers of a sync must use the same.
        public enum RevisionScheme: Sendable {
            /// Revision trees, as in Couchbase Lite 2 and 3.
            case trees
            /// Version vectors, as in Couchbase Lite 4. A database that is opened with them is upgraded for good.
            case versionVectors
        }

        func configuration(in directory: URL?) -> OfficialConfiguration {
            var configuration = OfficialConfiguration()
            if let directory { configuration.directory = directory.path(percentEncoded: false) }
            configuration.fullSync = isDurable
            configuration.readOnly = isReadOnly
            configuration.encryptionKey = key?.official
            configuration.engine = engine
            configuration.bodyCodecs = bodyCodecs.sorted { $0.key < $1.key }
                .map { BodyCodec(number: $0.key, codec: $0.value) }
            configuration.publishesStatus = publishesStatus
            switch revisions {
            case nil: break
            case .trees: configuration.revisionScheme = .revisionTrees
            case .versionVectors: configuration.revisionScheme = .versionVectors
            }
            return configuration
        }
    }
}
