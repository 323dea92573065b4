/// How a store is opened.
public struct StoreOptions: Equatable, Sendable {
    /// Whether a database that does not exist is made.
    public var create: Bool
    /// Whether the database is only read; then other processes may have it open.
    public var readOnly: Bool
    /// Whether every acknowledged write survives a power cut, at about 0.1 ms each.
    ///
    /// Without it a power cut may take back the last commits, the latest first. A killed process
    /// never does.
    public var fullSync: Bool

    /// Creates options.
    public init(create: Bool = true, readOnly: Bool = false, fullSync: Bool = false) {
        self.create = create
        self.readOnly = readOnly
        self.fullSync = fullSync
    }
}
