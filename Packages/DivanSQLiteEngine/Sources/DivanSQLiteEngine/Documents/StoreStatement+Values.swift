internal import DivanQuery
internal import DivanSQLite
internal import DivanStorage

// How values of the language are bound and read: see `SQLTranslation` on plain and exact forms.
extension SQLiteStatement<StoreFunctions> {
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

    /// The values of the row under the cursor, in exact form.
    func values(count: Int) -> [QueryValue] {
        [QueryValue](unsafeUninitializedCapacity: count) { buffer, initialized in
            // Each element is written once, in order.
            for index in 0..<count {
                let value = queryValue(Int32(truncatingIfNeeded: index))
                buffer.initializeElement(at: index, to: value)
            }
            initialized = count
        }
    }

    private func queryValue(_ index: Int32) -> QueryValue {
        switch value(index) {
        case .null: .missing
        case .integer(let value): .integer(value)
        case .double(let value): .double(value)
        case .text(let bytes): .string(String(decoding: bytes, as: UTF8.self))
        case .blob(let bytes): Self.queryValue(bytes)
        }
    }

    private static func queryValue(_ bytes: UnsafeBufferPointer<UInt8>) -> QueryValue {
        guard let first = bytes.first else { return .null }
        switch first {
        case 1 where bytes.count == 1: return .boolean(false)
        case 2 where bytes.count == 1: return .boolean(true)
        case 3: return .binary(Array(bytes.dropFirst()))
        default: return .container(Array(bytes))
        }
    }
}
