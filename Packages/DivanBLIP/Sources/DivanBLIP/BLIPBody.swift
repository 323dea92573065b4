/// What follows the properties of a message.
public enum BLIPBody {
    /// Bytes in memory.
    case bytes([UInt8])
    /// Bytes that are read when their frame is made.
    case source(any BLIPBodySource)

    /// No bytes.
    public static var empty: BLIPBody { .bytes([]) }
}

/// A body that is read while it is sent, such as a blob.
public protocol BLIPBodySource: AnyObject {
    /// Returns the next bytes, at most about `count`; none at the end, and from then on.
    ///
    /// Called from within `BLIPConnection.nextFrame(into:)`, so it should not wait.
    ///
    /// - Throws: Anything. A reply that has not begun becomes an error reply; any other message
    ///   ends short, and `BLIPEvent.bodyFailed` says so.
    func read(upTo count: Int) throws -> [UInt8]
}
