internal import CDivanSQLFunctions

/// Stops the functions, collations and tables of this package within one step of SQLite, which asks only between
/// steps.
///
/// Used by one thread at a time. They count their work, and ask about every 0.3 ms; a function that is stopped fails
/// with `SQLITE_INTERRUPT`.
public final class FunctionStop {
    private let mustStop: () -> Bool
    // Allocated here, freed in `deinit`; C uses it only during `within`.
    private let state: UnsafeMutablePointer<divan_stopping>

    /// Creates a stop.
    ///
    /// - Parameter mustStop: Whether to stop; once it was true, it is not called again. It must not use SQLite.
    public init(_ mustStop: @escaping () -> Bool) {
        self.mustStop = mustStop
        state = .allocate(capacity: 1)
        state.initialize(to: divan_stopping())
        state.pointee.context = Unmanaged.passUnretained(self).toOpaque()
        state.pointee.must_stop = { context in
            // Called during `within`, whose caller keeps this object alive.
            guard let context else { return false }
            return Unmanaged<FunctionStop>.fromOpaque(context).takeUnretainedValue().mustStop()
        }
    }

    deinit { state.deallocate() }

    /// Whether anything was stopped: the rows that SQLite returned since must not be used.
    public var wasStopped: Bool { state.pointee.is_stopped }

    /// Applies to the SQLite calls that `body` makes on this thread.
    public func within<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        divan_use_stopping(state)
        defer { divan_use_stopping(nil) }
        return try body()
    }
}
