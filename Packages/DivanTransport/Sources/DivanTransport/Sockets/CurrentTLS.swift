import DivanTLS
import Synchronization

/// The TLS settings of a server, which may be replaced while it runs; from any thread.
final class CurrentTLS: Sendable {
    private let context: Mutex<TLSContext?>

    /// Starts with these settings; `nil` means no TLS.
    init(_ context: TLSContext?) {
        self.context = Mutex(context)
    }

    /// A session for a connection that was just accepted; `nil` without TLS.
    func makeSession() throws(TLSError) -> TLSSession? {
        let context = context.withLock { $0 }
        return try context.map { context throws(TLSError) in try TLSSession(context) }
    }

    /// Uses other settings from now on, unless the server has no TLS.
    func replace(with context: TLSContext) {
        self.context.withLock { if $0 != nil { $0 = context } }
    }
}
