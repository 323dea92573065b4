public import DivanLog

/// Multicast DNS-SD with the system's Avahi daemon.
///
/// Each activity has its own connection to the daemon and a thread. If the daemon stops, activities end with
/// `noDaemon`; restart them when the daemon runs again.
///
/// Source: RFC 6762, RFC 6763; `tls-and-auth.md` §7.
public struct AvahiDiscovery: PeerDiscovery {
    private let log: Log

    /// Uses the daemon of this machine.
    public init(log: Log = Log(.discovery)) {
        self.log = log
    }

    /// Advertises a service; if its name is in use, a number is added.
    ///
    /// - Throws: `DiscoveryError.noDaemon` if the daemon does not answer.
    public func advertise(
        _ advertisement: PeerAdvertisement,
        onEvent: @escaping @Sendable (AdvertisementEvent) -> Void
    ) throws(DiscoveryError) -> any AdvertisementActivity {
        let log = log
        let advertiser = try AvahiAdvertiser(advertisement) { event in
            switch event {
            case .registered(let name): log.info("advertised as \(escapedForLog(name))")
            case .failed(let error): log.error("\(error)")
            }
            onEvent(event)
        }
        return AvahiAdvertisement(advertiser)
    }

    /// Browses for services in the local network.
    ///
    /// - Throws: `DiscoveryError.noDaemon` if the daemon does not answer.
    public func browse(
        for service: ServiceType,
        onEvent: @escaping @Sendable (BrowseEvent) -> Void
    ) throws(DiscoveryError) -> any DiscoveryActivity {
        let log = log
        let browser = try AvahiBrowser(service) { event in
            switch event {
            case .found(let peer): log.info("found \(escapedForLog(peer.name))")
            case .lost(let name): log.info("lost \(escapedForLog(name))")
            case .failed(let error): log.error("\(error)")
            }
            onEvent(event)
        }
        return AvahiActivity(browser.connection)
    }
}

/// The object that the caller holds.
///
/// Avahi's thread never has it: releasing it there would make that thread wait for itself.
private final class AvahiActivity: DiscoveryActivity {
    private let connection: AvahiConnection

    init(_ connection: AvahiConnection) {
        self.connection = connection
    }

    deinit {
        connection.close()
    }

    func stop() {
        connection.close()
    }
}

/// The object that the caller of `advertise` holds; Avahi's thread never has it.
private final class AvahiAdvertisement: AdvertisementActivity {
    private let advertiser: AvahiAdvertiser

    init(_ advertiser: AvahiAdvertiser) {
        self.advertiser = advertiser
    }

    deinit {
        advertiser.connection.close()
    }

    func update(_ record: TextRecord) {
        advertiser.update(record)
    }

    func stop() {
        advertiser.connection.close()
    }
}
