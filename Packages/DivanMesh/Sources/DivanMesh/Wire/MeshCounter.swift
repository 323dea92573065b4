/// The number of an announcement, which decides which of two is newer.
///
/// Compared in serial arithmetic (RFC 1982): of two counters the one is newer that lies in the half of the numbers that
/// follows the other. So no counter is the last: a peer that hears its own announcement from before a restart, or one
/// that a stranger made up, continues after that number and is believed again.
public struct MeshCounter: Hashable, Sendable {
    /// The number.
    public let rawValue: UInt32

    /// Creates a counter.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The counter of the following announcement.
    public var next: MeshCounter { MeshCounter(rawValue: rawValue &+ 1) }

    /// Whether this counter is newer than the other.
    public func isNewer(than other: MeshCounter) -> Bool {
        Int32(bitPattern: rawValue &- other.rawValue) > 0
    }
}
