/// Identifies a remote database: the position of its URL in the local database's table.
public struct RemoteID: Hashable, Comparable, Sendable {
    /// The position, counted from 0 or 1 as the store chooses.
    public let rawValue: UInt32

    /// Takes the position unchanged.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Whether `left` comes before `right` in the table.
    public static func < (left: RemoteID, right: RemoteID) -> Bool {
        left.rawValue < right.rawValue
    }
}
