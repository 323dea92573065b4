import Dispatch
import DivanDiscovery
import DivanLog
import DivanMesh

/// Advertises one peer and finds the others of its group.
///
/// Starting and updating may wait for a daemon, so both happen on a queue, in order. `@unchecked Sendable` is correct
/// because the stored state that changes is touched only on that queue.
final class MeshAdvertising: @unchecked Sendable {
    private let discovery: any PeerDiscovery
    private let service: ServiceType
    private let port: UInt16
    private let log: Log
    private let onEvent: @Sendable (BrowseEvent) -> Void
    private let queue = DispatchQueue(label: "divan.mesh.discovery")
    private var advertisement: (any AdvertisementActivity)?
    private var search: (any DiscoveryActivity)?
    private var isStopped = false

    init(
        _ discovery: any PeerDiscovery,
        group: MeshGroup,
        port: UInt16,
        log: Log,
        onEvent: @escaping @Sendable (BrowseEvent) -> Void
    ) throws(DiscoveryError) {
        self.discovery = discovery
        self.port = port
        self.log = log
        self.onEvent = onEvent
        service = try .mesh(subtype: group.subtype)
    }

    /// Begins to look for peers; a failure is reported as an event.
    func start() {
        queue.async {
            guard !self.isStopped else { return }
            do throws(DiscoveryError) {
                self.search = try self.discovery.browse(for: self.service, onEvent: self.onEvent)
            } catch {
                self.onEvent(.failed(error))
            }
        }
    }

    /// Publishes an announcement in place of the one before.
    func publish(_ announcement: MeshAnnouncement) {
        queue.async {
            guard !self.isStopped else { return }
            do throws(DiscoveryError) {
                try self.advertise(announcement)
            } catch {
                self.onEvent(.failed(error))
            }
        }
    }

    private func advertise(_ announcement: MeshAnnouncement) throws(DiscoveryError) {
        let record = try TextRecord(strings: announcement.textStrings)
        if let advertisement { return advertisement.update(record) }
        let advertised = try PeerAdvertisement(
            name: announcement.peer.instanceName,
            port: port,
            service: service,
            record: record
        )
        advertisement = try discovery.advertise(advertised) { [onEvent] event in
            if case .failed(let error) = event { onEvent(.failed(error)) }
        }
    }

    /// Withdraws the advertisement, ends the search, and then calls `completion` on the queue.
    func stop(then completion: @escaping @Sendable () -> Void) {
        queue.async {
            self.isStopped = true
            self.advertisement?.stop()
            self.search?.stop()
            self.advertisement = nil
            self.search = nil
            completion()
        }
    }
}
