import Synchronization

/// Removes a listener; returned by the `add…Listener` methods.
///
/// Releasing the token does not remove the listener. Safe to use from any thread.
///
/// Source: `behaviour.md` §16.
public final class ListenerToken: Sendable {
    private let removal: Mutex<(@Sendable () -> Void)?>

    /// Creates a token whose first removal runs `removal`; `nil` creates an inactive token.
    init(removal: (@Sendable () -> Void)?) {
        self.removal = Mutex(removal)
    }

    /// Removes the listener; an event that is already queued may still arrive.
    ///
    /// A second call does nothing.
    public func remove() {
        let removal = removal.withLock { stored in
            defer { stored = nil }
            return stored
        }
        removal?()
    }
}
