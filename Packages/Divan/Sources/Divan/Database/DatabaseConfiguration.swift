import DivanStore
import Foundation

/// How a database is opened; a value: later changes do not reach an open database.
///
/// Source: `api-map.md` §2.2.
public struct DatabaseConfiguration: Sendable {
    /// Whether every commit waits for the disk unless told otherwise.
    public static let defaultFullSync = false
    /// Whether files are mapped into memory; has no effect.
    public static let defaultMmapEnabled = true

    /// The directory that holds the database's own directory `<name>.cblite2`.
    ///
    /// The default is the environment variable `DIVAN_DIRECTORY` if it is set; else
    /// `$XDG_DATA_HOME/CouchbaseLite`; else `~/.local/share/CouchbaseLite`. Missing directories
    /// are created when a database is.
    public var directory: String

    /// Whether every commit waits until it is on the disk.
    ///
    /// Off, the last commits may be lost when the machine (not just the program) stops; the
    /// database is consistent either way.
    public var fullSync: Bool

    /// Whether the database is only read; off by default.
    ///
    /// Such a `Database` works beside the process that writes, of which there is one at most: each read
    /// sees what is committed by then. It makes no database, purges nothing that expires, and every change
    /// throws `CBLError.notWriteable`; listeners hear only of what this process changes elsewhere. It
    /// serves and replicates nothing. An addition to the official API.
    ///
    /// ```swift
    /// var config = DatabaseConfiguration()
    /// config.readOnly = true
    /// let orders = try Database(name: "orders", config: config)  // another process takes them
    /// ```
    public var readOnly: Bool

    /// The key with which the database is encrypted; `nil`, the default, for one that is not.
    ///
    /// A database that is created is encrypted with it; another has to have this key already
    /// (``Database/changeEncryptionKey(_:)``).
    public var encryptionKey: EncryptionKey?

    /// How the bodies of old revisions are compressed from now on.
    ///
    /// Where a process opens one database several times, the first setting holds. An addition to
    /// the official API.
    public var revisionCompression: RevisionCompression

    /// How the database names its revisions; `nil`: a new one by trees, another as it does.
    ///
    /// A database of trees that is opened with `.versionVectors` is upgraded, for ever: no document is
    /// touched, and peers that know only trees sync with it no more (``RevisionScheme``). Fails with
    /// `busy` while somebody else has it open. An addition to the official API.
    public var revisionScheme: RevisionScheme?

    /// Whether `divan status`, `divan top` and the studio of this user see what the database's
    /// replicators and listeners do; off by default.
    ///
    /// They tell it twice a second in small files inside of the database that only their owner can
    /// read (directory 0700, files 0600): addresses, users, counts, rates, errors, and what is waited
    /// for, which names documents, but not of a sealed database; no passwords and no bodies. The files go
    /// when the work ends, and those of a program that was killed are swept away by who reads or begins
    /// next. Has no effect in memory. An addition to the official API.
    ///
    /// ```swift
    /// var config = DatabaseConfiguration()
    /// config.publishesStatus = true
    /// let database = try Database(name: "orders", config: config)  // then: divan top
    /// ```
    public var publishesStatus = false

    /// Accepted for source compatibility; memory mapping is the storage engine's own choice.
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
        publishesStatus = config?.publishesStatus ?? false
        mmapEnabled = config?.mmapEnabled ?? Self.defaultMmapEnabled
    }

    /// What of it concerns the store.
    ///
    /// - Throws: What the source of the key says.
    func storeOptions() throws -> StoreOptions {
        StoreOptions(
            create: !readOnly,
            readOnly: readOnly,
            fullSync: fullSync,
            archive: revisionCompression.archive,
            scheme: revisionScheme?.storeScheme,
            sealing: try encryptionKey?.sealing(),
            packing: .bundled
        )
    }

    /// Where databases go that name no directory.
    ///
    /// `environment` reads an environment variable.
    static func defaultDirectory(in environment: (String) -> String?) -> String {
        if let directory = environment("DIVAN_DIRECTORY"), !directory.isEmpty { return directory }
        return dataDirectory(in: environment)
    }

    /// What this user keeps where nothing else is said: databases, and identities below it.
    static func dataDirectory(in environment: (String) -> String?) -> String {
        // XDG Base Directory Specification: an empty or relative value counts as unset.
        if let data = environment("XDG_DATA_HOME"), data.hasPrefix("/") {
            return data + "/CouchbaseLite"
        }
        // `NSHomeDirectory` reads the list of users and knows nothing of `$HOME`.
        let home = environment("HOME").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory()
        return home + "/.local/share/CouchbaseLite"
    }
}
