internal import CDivanSQLite

/// The memory that SQLite may hold for one task, such as a query; used by one thread at a time.
///
/// Override `grant` and `mustStop`. What is requested without permission fails with SQLITE_NOMEM. Has no effect if
/// the process used SQLite before its first `SQLiteConnection`.
open class SQLiteMemoryBudget {
    // Allocated here, freed in `deinit`; C uses it only during `within`.
    private let count: UnsafeMutablePointer<divan_allowance>

    /// Creates a budget of 0 bytes.
    public init() {
        count = .allocate(capacity: 1)
        count.initialize(to: divan_allowance())
        count.pointee.context = Unmanaged.passUnretained(self).toOpaque()
        count.pointee.grant = { context, more in
            // Called during `within`, whose caller keeps this object alive.
            guard let context else { return 0 }
            return Unmanaged<SQLiteMemoryBudget>.fromOpaque(context).takeUnretainedValue().grant(
                more
            )
        }
        count.pointee.must_stop = { context in
            // As above.
            guard let context else { return 0 }
            return Unmanaged<SQLiteMemoryBudget>.fromOpaque(context).takeUnretainedValue().mustStop
                ? 1 : 0
        }
    }

    deinit {
        count.deallocate()
    }

    /// Grants more memory, in addition to what was granted before.
    ///
    /// Must not use SQLite.
    ///
    /// - Parameter byteCount: Bytes that are missing.
    /// - Returns: At least as many; or 0, and the request fails.
    open func grant(_ byteCount: Int64) -> Int64 { 0 }

    /// Whether further requests fail; asked now and then, also while SQLite compiles a statement.
    ///
    /// Must not use SQLite.
    open var mustStop: Bool { false }

    /// Applies the budget to the SQLite calls that `body` makes on this thread; cannot be nested.
    public func within<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        divan_use_allowance(count)
        defer { divan_use_allowance(nil) }
        return try body()
    }
}
