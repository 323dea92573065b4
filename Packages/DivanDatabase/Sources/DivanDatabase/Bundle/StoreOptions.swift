public import DivanDelta
public import DivanRevisions
public import DivanStore

/// How a store is opened.
public struct StoreOptions: Sendable {
    /// Whether to create a database that does not exist.
    public var create: Bool
    /// Whether to open the database read-only; other processes may then have it open.
    public var readOnly: Bool
    /// Whether every acknowledged write survives a power failure, at a cost of about 0.1 ms each.
    ///
    /// If `false`, a power failure may undo the last commits, the latest first. Killing the process never does.
    public var fullSync: Bool
    /// How the bodies of revisions that are not current are stored.
    ///
    /// It must support every codec that was used to write the database. If a database has several owners in a
    /// process, the archive of the first owner is used.
    public var archive: BodyArchive
    /// The revision scheme of a new database; `nil` means trees for a new database, and no change for an existing
    /// one.
    ///
    /// A database with trees that is opened with `.vectors` is upgraded permanently.
    public var scheme: RevisionScheme?

    /// The encryption key of the files; `nil` for no encryption.
    ///
    /// A new database is encrypted with this key; an existing database must already have it.
    public var sealing: (any StoreSealing)?

    /// The codecs with which bodies may be compressed.
    public var packing: BodyPacking

    /// Opens the engine that stores the rows; `nil` for SQLite.
    ///
    /// If a database has several owners in a process, all must name the same engine; that of the first owner is used.
    public var engine: (any StorageEngineProvider)?

    /// Creates options.
    public init(
        create: Bool = true,
        readOnly: Bool = false,
        fullSync: Bool = false,
        archive: BodyArchive = .deltas,
        scheme: RevisionScheme? = nil,
        sealing: (any StoreSealing)? = nil,
        packing: BodyPacking = .none,
        engine: (any StorageEngineProvider)? = nil
    ) {
        self.engine = engine
        self.packing = packing
        self.sealing = sealing
        self.scheme = scheme
        self.create = create
        self.readOnly = readOnly
        self.fullSync = fullSync
        self.archive = archive
    }
}
