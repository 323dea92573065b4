public import DivanDelta
public import DivanRevisions

/// How a store is opened.
public struct StoreOptions: Sendable {
    /// Whether a database that does not exist is made.
    public var create: Bool
    /// Whether the database is only read; then other processes may have it open.
    public var readOnly: Bool
    /// Whether every acknowledged write survives a power cut, at about 0.1 ms each.
    ///
    /// Without it a power cut may take back the last commits, the latest first. A killed process
    /// never does.
    public var fullSync: Bool
    /// How the bodies of revisions that are not current are kept.
    ///
    /// It must read every codec that a program which wrote the database packed with. Where several
    /// owners open one database in a process, the first one's holds.
    public var archive: BodyArchive
    /// How a database that is made names its revisions; `nil`: a new one by trees, another as it does.
    ///
    /// One with trees that is opened with `.vectors` is upgraded, for ever.
    public var scheme: RevisionScheme?

    /// The key with which the files are sealed; `nil` for plain ones.
    ///
    /// A database that is made gets it; another has to have it already.
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
