public import DivanDelta
public import DivanRevisions

/// How a store is opened.
public struct StoreOptions: Sendable {
    /// Whether to create a database that does not exist.
    public var create: Bool
    /// Whether to open the database read-only; other processes may then have it open.
    public var readOnly: Bool
    /// Whether every acknowledged write survives a power cut, at about 0.1 ms each.
    ///
    /// If `false`, a power cut may undo the last commits, the latest first. A killed process never
    /// does.
    public var fullSync: Bool
    /// How the bodies of revisions that are not current are stored.
    ///
    /// It must read every codec that was used by programs that wrote the database. If several
    /// owners open one database in a process, the first one's archive is used.
    public var archive: BodyArchive
    /// How a new database names its revisions; `nil` means trees for a new one, and no change for an existing one.
    ///
    /// A database with trees that is opened with `.vectors` is upgraded permanently.
    public var scheme: RevisionScheme?

    /// The key with which the files are sealed; `nil` for plain ones.
    ///
    /// A new database gets this key; an existing one must have it already.
    public var sealing: (any StoreSealing)?

    /// The codecs with which bodies may be packed.
    public var packing: BodyPacking

    /// Creates options.
    public init(
        create: Bool = true,
        readOnly: Bool = false,
        fullSync: Bool = false,
        archive: BodyArchive = .deltas,
        scheme: RevisionScheme? = nil,
        sealing: (any StoreSealing)? = nil,
        packing: BodyPacking = .none
    ) {
        self.packing = packing
        self.sealing = sealing
        self.scheme = scheme
        self.create = create
        self.readOnly = readOnly
        self.fullSync = fullSync
        self.archive = archive
    }
}
