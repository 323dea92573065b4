internal import CDivanSQL

/// Stops the functions, collations and tables of this package within one step of SQLite, which itself checks only
/// between steps.
///
/// Use it on one thread at a time. The closure is called about every 0.3 ms; a stopped function fails with
/// `SQLITE_INTERRUPT`.
public final class FunctionStop {
    private let mustStop: () -> Bool
    // Allocated here, freed in `deinit`; C uses it only during `within`.
    private let state: UnsafeMutablePointer<divan_stopping>

    /// Creates a stop.
    ///
    /// - Parameter mustStop: Returns whether to stop; after it has returned true, it is not called again. It must
    ///   not use SQLite.
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

    /// Whether a function was stopped; the rows that SQLite returned since then must not be used.
    public var wasStopped: Bool { state.pointee.is_stopped }

    /// Applies the stop to the SQLite calls of `body` on this thread.
    public func within<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        divan_use_stopping(state)
        defer { divan_use_stopping(nil) }
        return try body()
    }
}
