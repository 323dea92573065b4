public import DivanDatabase
import Foundation

/// How to open a database.
///
/// Later changes do not affect an open database.
///
/// Source: `api-map.md` §2.2.
public struct DatabaseConfiguration: Sendable {
    /// The default of ``fullSync``.
    public static let defaultFullSync = false
    /// The default of ``mmapEnabled``, which has no effect.
    public static let defaultMmapEnabled = true

    /// The directory that contains the database's directory `<name>.cblite2`.
    ///
    /// The default is the environment variable `DIVAN_DIRECTORY` if it is set; otherwise
    /// `$XDG_DATA_HOME/CouchbaseLite`; otherwise `~/.local/share/CouchbaseLite`. Missing directories are created with a
    /// database.
    public var directory: String

    /// Whether every commit waits until the data is on disk; off by default.
    ///
    /// If off, a power failure or system crash can lose the last commits. A crash of the program loses nothing, and the
    /// database is consistent in any case.
    public var fullSync: Bool

    /// Whether the database is opened read-only; off by default.
    ///
    /// A read-only `Database` can be open while another process writes; each read sees the latest commit. It does not
    /// create a database or purge expired documents, and every change throws `CBLError.notWriteable`. Listeners are
    /// only notified of changes by other objects in this process. It cannot be served or replicated. An addition to the
    /// official API.
    ///
    /// ```swift
    /// var config = DatabaseConfiguration()
    /// config.readOnly = true
    /// let orders = try Database(name: "orders", config: config)  // another process takes them
    /// ```
    public var readOnly: Bool

    /// The key that encrypts the database; `nil`, the default, for an unencrypted one.
    ///
    /// A new database is encrypted with it; an existing one must already have this key
    /// (``Database/changeEncryptionKey(_:)``).
    public var encryptionKey: EncryptionKey?

    /// How the bodies of old revisions are compressed.
    ///
    /// It applies to new revisions. If a process opens a database several times, the first setting applies. An addition
    /// to the official API.
    public var revisionCompression: RevisionCompression

    /// The storage engine; `nil`, the default, for SQLite.
    ///
    /// `StorageEngineProvider` of DivanStorage opens an engine, and `StorageEngineContract` tests it. A database belongs
    /// to the engine that created it. Encryption keys, repair and copies need SQLite. An addition to the official API;
    /// see `Docs/guides/plug-ins.md`.
    ///
    /// ```swift
    /// config.engine = LogEngineProvider()
    /// let database = try Database(name: "orders", config: config)
    /// ```
    public var engine: (any StorageEngineProvider)?

    /// Custom codecs for the bodies of documents; select one with ``Collection/setBodyCompression(_:)``.
    ///
    /// A database must always be opened with the codecs that its bodies are compressed with. Only the SQLite engine
    /// compresses bodies. An addition to the official API.
    public var bodyCodecs: [BodyCodec]

    /// Custom codecs for the bodies of old revisions; select one with ``revisionCompression``.
    ///
    /// An addition to the official API.
    public var revisionCodecs: [RevisionCodec]

    /// The revision scheme; with `nil`, a new database uses revision trees, and an existing one keeps its scheme.
    ///
    /// Opening a database that has revision trees with `.versionVectors` upgrades it, which cannot be undone. No
    /// document is rewritten, but peers that only support trees can no longer sync with it (``RevisionScheme``). Fails
    /// with `busy` while it is open elsewhere. An addition to the official API.
    public var revisionScheme: RevisionScheme?

    /// Whether `divan status`, `divan top` and the studio show the database's replicators and listeners; off by
    /// default.
    ///
    /// Twice a second, replicators and listeners write small files inside the database that only their owner can read
    /// (directory 0700, files 0600). The files contain addresses, users, counts, rates, errors and waits, but neither
    /// passwords nor bodies. They contain document IDs unless the database is encrypted. They are removed when the work
    /// ends; files of a killed program are removed by the next reader or writer. Has no effect in memory. An addition
    /// to the official API.
    ///
    /// ```swift
    /// var config = DatabaseConfiguration()
    /// config.publishesStatus = true
    /// let database = try Database(name: "orders", config: config)  // then: divan top
    /// ```
    public var publishesStatus = false

    /// Accepted for source compatibility; the storage engine decides on memory mapping.
    public var mmapEnabled: Bool

    /// Creates the default configuration.
    public init() {
        self.init(config: nil)
    }

    /// Creates a copy of `config`, or the default configuration for `nil`.
    public init(config: DatabaseConfiguration?) {
        directory =
            config?.directory
            ?? Self.defaultDirectory { name in
                ProcessInfo.processInfo.environment[name]
            }
        fullSync = config?.fullSync ?? Self.defaultFullSync
        readOnly = config?.readOnly ?? false
        encryptionKey = config?.encryptionKey
        revisionCompression = config?.revisionCompression ?? .lz4
        revisionScheme = config?.revisionScheme
        engine = config?.engine
        bodyCodecs = config?.bodyCodecs ?? []
        revisionCodecs = config?.revisionCodecs ?? []
        publishesStatus = config?.publishesStatus ?? false
        mmapEnabled = config?.mmapEnabled ?? Self.defaultMmapEnabled
    }

    /// The settings that concern the store.
    ///
    /// - Throws: What the source of the key throws, and `PlugInFailure` for invalid codecs.
    func storeOptions() throws -> StoreOptions {
        StoreOptions(
            create: !readOnly,
            readOnly: readOnly,
            fullSync: fullSync,
            archive: try archive(),
            scheme: revisionScheme?.storeScheme,
            sealing: try encryptionKey?.sealing(),
            packing: try packing(),
            engine: engine
        )
    }

    /// Where databases go when no directory is named.
    ///
    /// `environment` reads an environment variable.
    static func defaultDirectory(in environment: (String) -> String?) -> String {
        if let directory = environment("DIVAN_DIRECTORY"), !directory.isEmpty { return directory }
        return dataDirectory(in: environment)
    }

    /// The default directory for this user's data: databases, and identities below it.
    static func dataDirectory(in environment: (String) -> String?) -> String {
        // XDG Base Directory Specification: an empty or relative value counts as unset.
        if let data = environment("XDG_DATA_HOME"), data.hasPrefix("/") {
            return data + "/CouchbaseLite"
        }
        // `NSHomeDirectory` reads the user database and ignores `$HOME`.
        let home = environment("HOME").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory()
        return home + "/.local/share/CouchbaseLite"
    }
}
