internal import CDivanStore
internal import DivanQuery

// How values of the language are bound and read: see `SQLTranslation` on plain and exact forms.
extension SQLiteStatement {
    func bind(_ value: QueryValue, isExact: Bool, at index: Int32) throws(StoreError) {
        switch value {
        case .missing: try bind(Int64?.none, at: index)
        case .null: try bind([UInt8](), at: index)
        case .boolean(let value) where isExact: try bind([value ? 2 : 1], at: index)
        case .boolean(let value): try bind(Int64(value ? 1 : 0), at: index)
        case .integer(let value): try bind(value, at: index)
        case .double(let value): try bind(double: value, at: index)
        case .string(let value): try bind(value, at: index)
        case .container(let value): try bind(value, at: index)
        case .binary(let value): try bind([3] + value, at: index)
        }
    }

    func bind(double value: Double, at index: Int32) throws(StoreError) {
        try check(sqlite3_bind_double(handle, index, value))
    }

    /// The values of the row under the cursor, in exact form.
    func values(count: Int) -> [QueryValue] {
        [QueryValue](unsafeUninitializedCapacity: count) { buffer, initialized in
            // Each element is written once, in order.
            for index in 0..<count {
                buffer.initializeElement(at: index, to: value(Int32(truncatingIfNeeded: index)))
            }
            initialized = count
        }
    }

    private func value(_ index: Int32) -> QueryValue {
        // Looked up once; code that uses a column's value must be the only user of the connection.
        let value = sqlite3_column_value(handle, index)
        switch sqlite3_value_type(value) {
        case SQLITE_NULL: return .missing
        case SQLITE_INTEGER: return .integer(sqlite3_value_int64(value))
        case SQLITE_FLOAT: return .double(sqlite3_value_double(value))
        case let type:
            let bytes = UnsafeBufferPointer(
                start: sqlite3_value_blob(value)?.assumingMemoryBound(to: UInt8.self),
                count: Int(sqlite3_value_bytes(value))
            )
            guard type == SQLITE_TEXT else { return Self.value(bytes) }
            return .string(String(decoding: bytes, as: UTF8.self))
        }
    }

    private static func value(_ bytes: UnsafeBufferPointer<UInt8>) -> QueryValue {
        guard let first = bytes.first else { return .null }
        switch first {
        case 1 where bytes.count == 1: return .boolean(false)
        case 2 where bytes.count == 1: return .boolean(true)
        case 3: return .binary(Array(bytes.dropFirst()))
        default: return .container(Array(bytes))
        }
    }
}
