import CouchbaseLiteSwift
import DivanDiscovery
import Foundation
import Synchronization

/// A database that syncs with those of all peers in the room, which are found by DNS-SD.
///
/// `@unchecked Sendable`: state that changes is locked; the rest is set once and thread-safe.
final class Room: @unchecked Sendable {
    private let name: String
    private let listener: URLEndpointListener
    private let context: Neighbour.Context
    private let neighbours = Mutex<[String: Neighbour]>([:])
    private let activities = Mutex<[any DiscoveryActivity]>([])
    private let listening = Mutex<ListenerToken?>(nil)

    init(
        directory: String,
        name: String,
        token: String,
        report: @escaping @Sendable (String) -> Void
    ) throws {
        self.name = name
        TLSIdentity.storeDirectory = directory + "/identities"
        var config = DatabaseConfiguration()
        config.directory = directory
        let notes = try Database(name: "room", config: config).defaultCollection()
        context = Neighbour.Context(
            notes: notes,
            token: token,
            pins: try Pins(directory: directory),
            report: report
        )
        var listening = URLEndpointListenerConfiguration(collections: [notes])
        listening.authenticator = TokenListenerAuthenticator(token: token)
        listener = URLEndpointListener(config: listening)
    }

    /// Listens, advertises the listener, and browses for other peers.
    func open(through discovery: some PeerDiscovery) throws {
        let (notes, report) = (context.notes, context.report)
        let token = notes.addChangeListener(queue: context.queue) { change in
            for id in change.documentIDs where (try? notes.document(id: id)) != nil {
                report("has \(id)")
            }
        }
        listening.withLock { $0 = token }
        let own = MutableDocument(id: name)
        own.setString("hello from \(name)", forKey: "text")
        try notes.save(document: own)
        try listener.start()
        let advertisement = try PeerAdvertisement(
            name: name,
            port: listener.port ?? 0,
            attributes: ["database": "room", "scheme": "wss", "fingerprint": fingerprint]
        )
        let advertising = try discovery.advertise(advertisement) { event in
            if case .failed(let error) = event { report("\(error)") }
        }
        let browsing = try discovery.browse { event in self.hear(event) }
        activities.withLock { $0 = [advertising, browsing] }
        report("listens")
    }

    func close() throws {
        for activity in activities.withLock({ $0 }) { activity.stop() }
        listening.withLock { $0?.remove() }
        try context.notes.database.close()
    }

    private var fingerprint: String {
        listener.tlsIdentity?.certs.first?.sha256Fingerprint ?? ""
    }

    private func hear(_ event: BrowseEvent) {
        switch event {
        case .found(let peer): found(peer)
        case .lost(let name):
            guard let gone = neighbours.withLock({ $0.removeValue(forKey: name) }) else { return }
            gone.leave()
            context.report("lost \(name)")
        case .failed(let error): context.report("\(error)")
        }
    }

    /// Handles a peer that is new, or that has moved to another port or address.
    private func found(_ peer: DiscoveredPeer) {
        // Browsing also reports our own advertisement, under another name if ours was used.
        guard peer.attributes["fingerprint"] != fingerprint,
            let neighbour = Neighbour(peer, context)
        else { return }
        let (isKnown, former) = neighbours.withLock { neighbours in
            let former = neighbours[peer.name]
            guard former?.isStill(peer) != true else { return (true, former) }
            neighbours[peer.name] = neighbour
            return (false, former)
        }
        guard !isKnown else { return }
        former?.leave()
        neighbour.meet()
    }
}
