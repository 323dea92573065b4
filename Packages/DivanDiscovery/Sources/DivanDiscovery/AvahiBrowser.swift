import CDivanDiscovery
import DivanPlatform

/// Looks for listeners through the daemon, and keeps watching those that it found.
///
/// `@unchecked Sendable` is valid because `table`, `line` and `resolvers` are only used in Avahi's
/// callbacks, which never overlap (`AvahiConnection`).
final class AvahiBrowser: @unchecked Sendable {
    let connection = AvahiConnection()
    private let service: ServiceType
    private let onEvent: @Sendable (BrowseEvent) -> Void
    private var table = PeerTable()
    private var line = ResolverQueue()
    private var resolvers: [ServiceInstance: OpaquePointer] = [:]
    private var isBrowsing = false
    private let waiting = WaitingEvents()

    init(
        _ service: ServiceType,
        onEvent: @escaping @Sendable (BrowseEvent) -> Void
    ) throws(DiscoveryError) {
        self.service = service
        self.onEvent = onEvent
        let callback: AvahiClientCallback = { client, state, userData in
            AvahiBrowser.of(userData)?.clientDidChange(client, state)
        }
        try connection.open(callback, for: self)
    }

    private static func of(_ userData: UnsafeMutableRawPointer?) -> AvahiBrowser? {
        userData.map { Unmanaged<AvahiBrowser>.fromOpaque($0).takeUnretainedValue() }
    }

    private func clientDidChange(_ client: OpaquePointer?, _ state: AvahiClientState) {
        if state == AVAHI_CLIENT_FAILURE { fail(avahi_client_errno(client)) }
        guard state == AVAHI_CLIENT_S_RUNNING, !isBrowsing else { return }
        isBrowsing = true
        let browser = avahi_service_browser_new(
            client,
            divan_avahi_any_interface(),
            divan_avahi_any_protocol(),
            service.fullSubtype ?? service.name,
            nil,
            AvahiLookupFlags(rawValue: 0),
            { browser, interface, version, event, name, type, domain, _, userData in
                guard let seeker = AvahiBrowser.of(userData) else { return }
                let client = avahi_service_browser_get_client(browser)
                guard let name, let type, let domain else {
                    if event == AVAHI_BROWSER_FAILURE { seeker.fail(avahi_client_errno(client)) }
                    return
                }
                let instance = ServiceInstance(
                    name: characters(name),
                    type: characters(type),
                    domain: characters(domain),
                    place: PeerTable.Place(interface: interface, version: version)
                )
                switch event {
                case AVAHI_BROWSER_NEW: seeker.insert(instance, client)
                case AVAHI_BROWSER_REMOVE: seeker.remove(instance, client)
                default: break
                }
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
        if browser == nil { fail(avahi_client_errno(client)) }
    }

    private func insert(_ instance: ServiceInstance, _ client: OpaquePointer?) {
        if line.add(instance) { resolve(instance, client) }
    }

    /// Resolves the instance; the resolver stays and reports later changes too.
    private func resolve(_ instance: ServiceInstance, _ client: OpaquePointer?) {
        resolvers[instance] = avahi_service_resolver_new(
            client,
            instance.place.interface,
            instance.place.version,
            instance.name,
            instance.type,
            instance.domain,
            // A resolver reports one address, and names of IPv6 addresses are also sent over IPv4: asked for
            // any, it would report whichever record came first, and never the other.
            instance.place.version,
            AvahiLookupFlags(rawValue: 0),
            { _, interface, version, event, name, _, _, host, address, port, text, _, userData in
                // A failure means that the peer went before it was resolved; its removal follows.
                guard event == AVAHI_RESOLVER_FOUND, let seeker = AvahiBrowser.of(userData),
                    let name, let host, let address
                else { return }
                let resolved = PeerTable.ResolvedInstance(
                    host: String(cString: host),
                    address: addressText(address, interface),
                    port: port,
                    record: TextRecord(received: strings(text))
                )
                let place = PeerTable.Place(interface: interface, version: version)
                seeker.insert(resolved, of: String(cString: name), at: place)
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
        if resolvers[instance] == nil { line.putBack(instance) }
    }

    private func insert(
        _ resolved: PeerTable.ResolvedInstance,
        of name: String,
        at place: PeerTable.Place
    ) {
        if let event = table.insert(resolved, of: name, at: place) { report(event) }
    }

    private func remove(_ instance: ServiceInstance, _ client: OpaquePointer?) {
        if let resolver = resolvers.removeValue(forKey: instance) {
            avahi_service_resolver_free(resolver)
        }
        if let event = table.remove(string(instance.name), at: instance.place) { report(event) }
        while let event = table.admit() { report(event) }
        if let next = line.remove(instance) { resolve(next, client) }
    }

    private func fail(_ code: Int32) {
        report(.failed(DiscoveryError(.browsing, code: code)))
    }

    private func report(_ event: BrowseEvent) {
        guard waiting.add(event) else { return }
        let (connection, waiting, onEvent) = (connection, waiting, onEvent)
        connection.deliver {
            // One by one, as the handler may stop the search.
            for event in waiting.take() { connection.deliver { onEvent(event) } }
        }
    }
}

/// The address as text; a link-local one with the interface's name, without which it is useless.
private func addressText(_ address: UnsafePointer<AvahiAddress>, _ interface: Int32) -> String {
    var characters = [CChar](repeating: 0, count: Int(AVAHI_ADDRESS_STR_MAX))
    avahi_address_snprint(&characters, characters.count, address)
    let text = string(characters)
    guard text.hasPrefix("fe80:") else { return text }
    let name = NetworkInterface.name(ofIndex: UInt32(bitPattern: interface))
    return name.map { "\(text)%\($0)" } ?? text
}

/// A C string including its end.
private func characters(_ text: UnsafePointer<CChar>) -> [CChar] {
    // The daemon's texts end in a zero, and are valid during its callback; they are copied here.
    var count = 0
    while text[count] != 0 { count += 1 }
    return Array(UnsafeBufferPointer(start: text, count: count + 1))
}

private func string(_ characters: [CChar]) -> String {
    String(
        decoding: characters.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) },
        as: UTF8.self
    )
}

/// The strings of a TXT record.
private func strings(_ list: UnsafeMutablePointer<AvahiStringList>?) -> [[UInt8]] {
    var strings: [[UInt8]] = []
    var next = list
    while let item = next {
        let bytes = UnsafeBufferPointer(
            start: avahi_string_list_get_text(item),
            count: avahi_string_list_get_size(item)
        )
        strings.append(Array(bytes))
        next = avahi_string_list_get_next(item)
    }
    return strings
}
