internal import CDivanSQLFunctions

/// The functions, collations and tables with which SQLite evaluates SQL++.
///
/// Every name begins with `divan_`. `divan_value1` may occur in the schema of a file, as the
/// expression of an index: its result never changes, and another meaning gets another number.
public enum SQLFunctions {
    /// Adds them to a connection, before any statement uses a table whose schema names one.
    ///
    /// - Parameters:
    ///   - connection: The `sqlite3 *`; used on the thread that uses the connection.
    ///   - unpacker: Unpacks packed bodies, and must live until the connection is closed;
    ///     without it such a body is an error.
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

    /// The first byte of a packed body.
    public static var packedMark: UInt8 { UInt8(divan_packed_body) }

    /// The version of the rules that order text under a `UNICODE` collation, such as `72.1`.
    ///
    /// An index in such an order is valid for one version only.
    public static var unicodeVersion: String { String(cString: divan_unicode_version()) }
}

/// Unpacks bodies for the functions of one connection; a class to be subclassed, since C refers to it by
/// address.
open class BodyUnpacker {
    /// Creates an unpacker that unpacks nothing.
    public init() {}

    /// The text of a packed body, which begins with `SQLFunctions.packedMark`; `nil` if it cannot be
    /// unpacked.
    ///
    /// Called on the thread that uses the connection, on which it may run statements. The result must remain
    /// valid until the next call, before which it is copied.
    open func text(of packed: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? { nil }
}
