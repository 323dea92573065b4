/// Special properties of a document in an event or a filter.
public struct SyncFlags: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Creates a set from its bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The revision deletes its document.
    public static let deleted = SyncFlags(rawValue: 1)
    /// The user can no longer access the document.
    public static let accessRemoved = SyncFlags(rawValue: 2)
}
