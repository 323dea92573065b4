/// Identifies a remote database: the position of its URL in the local database's table.
public struct RemoteID: Hashable, Comparable, Sendable {
    /// The position; the store determines whether it starts at 0 or 1.
    public let rawValue: UInt32

    /// Creates an ID from a position.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Whether `left` comes before `right` in the table.
    public static func < (left: RemoteID, right: RemoteID) -> Bool {
        left.rawValue < right.rawValue
    }
}
