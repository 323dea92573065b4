public import DivanDiscovery
import DivanLog
import Synchronization

/// How a listener is advertised on the network while it runs.
///
/// Conform to `PeerDiscovery` of DivanDiscovery, or use its `AvahiDiscovery`. Others find the listener with a
/// ``DiscoveredEndpoint``. An addition to the official API.
///
/// ```swift
/// config.advertisement = ListenerAdvertisement(name: "kitchen", through: AvahiDiscovery())
/// ```
public struct ListenerAdvertisement: Sendable {
    /// The name, 1 to 63 bytes without control characters; unique on the network.
    public var name: String
    /// Advertises the listener.
    public var discovery: any PeerDiscovery
    /// Further attributes; `database`, `scheme` and, with TLS, `fingerprint` are set by the listener.
    public var attributes: [String: String] = [:]

    /// Describes an advertisement.
    public init(name: String, through discovery: any PeerDiscovery) {
        self.name = name
        self.discovery = discovery
    }

    /// Starts advertising a listener.
    ///
    /// - Throws: `DiscoveryError`.
    func begin(
        port: UInt16,
        database: String,
        fingerprint: String?
    ) throws(DiscoveryError) -> RunningAdvertisement {
        var attributes = attributes
        attributes["database"] = database
        attributes["scheme"] = fingerprint == nil ? "ws" : "wss"
        attributes["fingerprint"] = fingerprint
        let advertisement = try PeerAdvertisement(name: name, port: port, attributes: attributes)
        let running = RunningAdvertisement()
        let activity = try discovery.advertise(advertisement) { running.note($0) }
        running.keep(activity)
        return running
    }
}

/// A running advertisement, and the name under which it was registered.
final class RunningAdvertisement: Sendable {
    private let activity = Mutex<(any DiscoveryActivity)?>(nil)
    private let registeredName = Mutex<String?>(nil)

    var name: String? { registeredName.withLock { $0 } }

    func note(_ event: AdvertisementEvent) {
        switch event {
        case .registered(let name): registeredName.withLock { $0 = name }
        case .failed(let error):
            registeredName.withLock { $0 = nil }
            Journal.listener.error("\(error)")
        }
    }

    func keep(_ activity: any DiscoveryActivity) {
        self.activity.withLock { $0 = activity }
    }

    func stop() {
        // Outside the lock: stopping may wait for an event.
        let ended = activity.withLock { activity in
            defer { activity = nil }
            return activity
        }
        ended?.stop()
        registeredName.withLock { $0 = nil }
    }
}
