internal import CDivanSQL

/// The functions, collations and tables with which SQLite evaluates SQL++.
///
/// All names begin with `divan_`. `divan_value1` can occur in the schema of a file, in the expression of an index:
/// its result never changes, and a new behaviour gets a new number.
public enum SQLFunctions {
    /// Adds the functions to a connection, before any statement uses a table whose schema refers to them.
    ///
    /// - Parameters:
    ///   - connection: The `sqlite3 *`; used on the thread that uses the connection.
    ///   - unpacker: Decompresses bodies, and must exist until the connection is closed; without it a compressed
    ///     body is an error.
    /// - Returns: SQLite's result code, 0 for success.
    public static func add(
        to connection: OpaquePointer,
        unpacker: BodyUnpacker? = nil
    ) -> Int32 {
        guard let unpacker else { return divan_add_sql_functions(connection, nil) }
        var unpacking = divan_unpacking(
            context: Unmanaged.passUnretained(unpacker).toOpaque(),
            unpack: { context, packed, count, textCount in
                // Called during calls of the connection, for whose lifetime the unpacker exists.
                guard let context, let packed, let textCount else { return nil }
                let text = Unmanaged<BodyUnpacker>.fromOpaque(context).takeUnretainedValue()
                    .text(of: UnsafeBufferPointer(start: packed, count: Int(count)))
                textCount.pointee = Int64(text?.count ?? 0)
                return text?.baseAddress
            }
        )
        return divan_add_sql_functions(connection, &unpacking)
    }

    /// The first byte of a compressed body.
    public static var packedMark: UInt8 { UInt8(divan_packed_body) }

    /// The version of the rules of `UNICODE` collations, such as `72.1`.
    ///
    /// An index with such a collation is valid only for one version.
    public static var unicodeVersion: String { String(cString: divan_unicode_version()) }
}

/// Decompresses bodies for the functions of one connection; override `text(of:)` in a subclass.
open class BodyUnpacker {
    /// Creates an unpacker that decompresses nothing.
    public init() {}

    /// The text of a compressed body, which begins with `SQLFunctions.packedMark`; `nil` if it cannot be
    /// decompressed.
    ///
    /// Called on the thread that uses the connection, on which it can run statements. The result must remain valid
    /// until the next call.
    open func text(of packed: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? { nil }
}
