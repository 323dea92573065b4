import CDivanDiscovery
import Dispatch
import Synchronization

/// One connection to the daemon, with Avahi's thread that waits for it.
///
/// Avahi calls back on that thread, and within `open` before the thread runs; so its callbacks
/// never overlap. Events are delivered through a separate queue: a handler may stop the activity,
/// which waits for Avahi's thread, without waiting for itself.
///
/// `@unchecked Sendable` is valid because `poll`, `client` and `owner` are set in `open`, before
/// anyone else has the object, and cleared in `close` by the one caller that finds it open.
final class AvahiConnection: @unchecked Sendable {
    private let isOpen = Mutex(false)
    private let events = DispatchQueue(label: "divan.discovery")
    private var poll: OpaquePointer?
    private var client: OpaquePointer?
    private var owner: AnyObject?  // whom Avahi calls back; kept until it no longer can

    private static let queueKey = DispatchSpecificKey<ObjectIdentifier>()

    /// Connects to the daemon and calls `callback` with `owner` for each state of the client.
    func open(_ callback: AvahiClientCallback, for owner: AnyObject) throws(DiscoveryError) {
        events.setSpecific(key: Self.queueKey, value: ObjectIdentifier(self))
        guard let poll = avahi_threaded_poll_new() else {
            throw DiscoveryError(.connecting, code: Int32(AVAHI_ERR_NO_MEMORY))
        }
        isOpen.withLock { $0 = true }
        var code: Int32 = 0
        let client = avahi_client_new(
            avahi_threaded_poll_get(poll),
            AvahiClientFlags(rawValue: 0),
            callback,
            Unmanaged.passUnretained(owner).toOpaque(),
            &code
        )
        guard let client else {
            isOpen.withLock { $0 = false }
            avahi_threaded_poll_free(poll)
            throw DiscoveryError(.connecting, code: code)
        }
        self.poll = poll
        self.client = client
        self.owner = owner
        guard avahi_threaded_poll_start(poll) == 0 else {
            close()
            throw DiscoveryError(.connecting, code: Int32(AVAHI_ERR_FAILURE))
        }
    }

    /// Ends the connection and everything requested through it; a second call does nothing.
    ///
    /// Waits for an event that is being delivered, unless it is called from that event. Must not be
    /// called on Avahi's thread.
    func close() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        guard wasOpen else { return }
        if let poll { avahi_threaded_poll_stop(poll) }
        // Frees the client's browsers, resolvers and entry groups too.
        if let client { avahi_client_free(client) }
        if let poll { avahi_threaded_poll_free(poll) }
        (poll, client, owner) = (nil, nil, nil)
        if DispatchQueue.getSpecific(key: Self.queueKey) != ObjectIdentifier(self) {
            events.sync {}
        }
    }

    /// Runs `body` while Avahi's thread waits, unless the connection is closed.
    ///
    /// Must not be called on Avahi's thread.
    func whilePaused(_ body: () -> Void) {
        // The lock also keeps `close` from freeing what `body` uses.
        isOpen.withLock { isOpen in
            guard isOpen, let poll else { return }
            avahi_threaded_poll_lock(poll)
            defer { avahi_threaded_poll_unlock(poll) }
            body()
        }
    }

    /// Runs `body` after the earlier events, unless the connection is closed by then.
    func deliver(_ body: @escaping @Sendable () -> Void) {
        events.async { [weak self] in
            guard let self, isOpen.withLock({ $0 }) else { return }
            body()
        }
    }
}
