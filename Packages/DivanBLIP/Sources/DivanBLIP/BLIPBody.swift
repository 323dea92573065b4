/// The part of a message after its properties.
public enum BLIPBody {
    /// Bytes in memory.
    case bytes([UInt8])
    /// Bytes that are read when their frame is created.
    case source(any BLIPBodySource)

    /// No bytes.
    public static var empty: BLIPBody { .bytes([]) }
}

/// A body that is read while it is sent, such as a blob.
public protocol BLIPBodySource: AnyObject {
    /// Returns the next bytes, at most about `count`; empty at the end and after it.
    ///
    /// Called within `BLIPConnection.nextFrame(into:)`, so it should not block.
    ///
    /// - Throws: Any error. A reply that has not begun becomes an error reply; any other message is truncated,
    ///   and `BLIPEvent.bodyFailed` reports the error.
    func read(upTo count: Int) throws -> [UInt8]
}
