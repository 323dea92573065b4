internal import CDivanSQLiteEngine
import DivanPlatform
/// Reads the arguments of SQL functions.
enum SQLiteArgument {
    /// The bytes of a text or a blob, none for NULL; valid until the function returns.
    static func bytes(_ value: OpaquePointer?) -> UnsafeBufferPointer<UInt8> {
        let start = sqlite3_value_blob(value)?.assumingMemoryBound(to: UInt8.self)
        return UnsafeBufferPointer(
            start: start,
            count: start == nil ? 0 : Int(sqlite3_value_bytes(value))
        )
    }

    /// A text.
    static func text(_ value: OpaquePointer?) -> String {
        String(decoding: bytes(value), as: UTF8.self)
    }
}

extension [UInt8] {
    /// Whether these are the same bytes as those of an argument.
    func isEqual(to other: UnsafeBufferPointer<UInt8>) -> Bool {
        withUnsafeBufferPointer { own in
            guard let start = own.baseAddress, let otherStart = other.baseAddress else {
                return own.count == other.count
            }
            // Both have this many bytes.
            return own.count == other.count
                && Memory.areEqual(start, otherStart, count: own.count)
        }
    }
}
