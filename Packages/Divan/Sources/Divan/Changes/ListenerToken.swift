import Synchronization

/// What an `add…Listener` call returns: the way to end the deliveries.
///
/// Dropping the token does not remove the listener. Safe from any thread.
///
/// Source: `behaviour.md` §16.
public final class ListenerToken: Sendable {
    private let removal: Mutex<(@Sendable () -> Void)?>

    /// Creates a token whose first removal runs `removal`; `nil` makes a dead token.
    init(removal: (@Sendable () -> Void)?) {
        self.removal = Mutex(removal)
    }

    /// Ends the deliveries; an event that is queued already may still arrive.
    ///
    /// Removing twice is harmless.
    public func remove() {
        let removal = removal.withLock { stored in
            defer { stored = nil }
            return stored
        }
        removal?()
    }
}
