import DivanCrypto
import DivanDiscovery
import DivanLog
import DivanMesh
import DivanPlatform
import DivanReplicator
import DivanRevisions
import DivanSession
import DivanStore
import DivanTLS
import DivanTransport
import DivanWebSocket
import Synchronization

/// Drives one `MeshCore`: gives it events with the time, and carries out its effects.
///
/// Everything happens on `loop`, one event after another, except the answers to questions about the state, which is
/// locked. `@unchecked Sendable` is correct because the other stored state that changes is touched only on `loop`; it
/// is created before, and `start` and `stop` go there.
final class MeshDriver: @unchecked Sendable {
    struct State {
        var core: MeshCore
        var records = PeerRecords()
        var port: UInt16?
    }

    let id: MeshPeerID
    let store: Store
    let configuration: MeshPeerConfiguration
    let log: Log
    let loop: EpollLoop
    let shared: SharedRevisions
    let inFlight = RevisionsInFlight()
    let budget: ConnectionBudget
    let state: Mutex<State>

    var connections: [MeshConnectionID: Connection] = [:]
    var sessions: [MeshConnectionID: LinkSession] = [:]
    var incomingCount: UInt64 = 0
    private var timer: TimerToken?
    private var server: WebSocketServer?
    private var advertising: MeshAdvertising?
    private var isStopping = false
    private var openParts = 0  // of the end: server and discovery

    init(store: Store, _ configuration: MeshPeerConfiguration, log: Log) {
        self.store = store
        self.configuration = configuration
        self.log = log
        id = MeshPeerID(configuration.credential.leaf)
        loop = EventLoopGroup.shared.next()
        shared = SharedRevisions(of: store)
        budget = ConnectionBudget(byteCount: 128 << 20, partyByteCount: 32 << 20)
        let core = MeshCore(
            MeshConfiguration(
                peer: id,
                scheme: store.scheme == .vectors ? 4 : 3,
                isPartial: configuration.filtersDocuments || !configuration.subscriptions.isEmpty,
                firstCounter: UInt32(truncatingIfNeeded: WallClock.seconds()),
                seeds: configuration.seeds,
                random: SystemRandomSource()
            )
        )
        state = Mutex(State(core: core))
    }

    // MARK: Start and stop

    func start() throws {
        let server = try makeServer()
        let port = try server.start()
        let advertising = try configuration.discovery.map { discovery in
            try MeshAdvertising(discovery, group: configuration.group, port: port, log: log) {
                [weak self] event in self?.browsed(event)
            }
        }
        state.withLock { $0.port = port }
        loop.execute {
            guard !self.isStopping else {
                server.stop()
                return self.report(.stopped)
            }
            self.server = server
            self.advertising = advertising
            self.report(.started(port: port))
            self.log.info("Joined the mesh as \(self.id) on port \(port)")
            advertising?.start()
            self.handle(.listening(self.ownAddresses(port)))
        }
    }

    private func ownAddresses(_ port: UInt16) -> [MeshAddress] {
        let all = configuration.hosts.compactMap { try? MeshAddress("\($0):\(port)") }
        return Array(all.prefix(MeshLimits.addressCount))
    }

    func stop() {
        loop.execute {
            guard !self.isStopping else { return }
            self.isStopping = true
            guard let server = self.server else { return }
            self.handle(.stop)
            if let timer = self.timer { self.loop.cancel(timer) }
            self.openParts = 1 + (self.advertising == nil ? 0 : 1)
            self.advertising?.stop { self.partStopped() }
            server.stop(code: LinkEnd.goodbye.rawValue) { self.partStopped() }
        }
    }

    private func partStopped() {
        loop.execute {
            self.openParts -= 1
            self.endIfStopped()
        }
    }

    func endIfStopped() {
        guard isStopping, server != nil, openParts == 0, sessions.isEmpty else { return }
        server = nil
        advertising = nil
        state.withLock { $0.port = nil }
        log.info("Left the mesh")
        report(.stopped)
    }

    // MARK: Events and effects

    func handle(_ event: MeshEvent) {
        let effects = state.withLock { $0.core.handle(event, at: loop.now) }
        for effect in effects { carryOut(effect) }
    }

    private func carryOut(_ effect: MeshEffect) {
        switch effect {
        case .connect(let connection, let address, let peer):
            call(connection, at: address, expecting: peer)
        case .accept(let connection): accept(connection)
        case .refuse(let connection, let end, let pause, let introduction):
            refuse(connection, end, pause, introduction)
        case .close(let connection, let end): close(connection, end)
        case .send(let connection, let bytes): send(bytes, on: connection)
        case .publish(let announcement): advertising?.publish(announcement)
        case .setTimer(let time): setTimer(at: time)
        case .report(let peer, let isOnline): report(.presence(peer, isOnline: isOnline))
        }
    }

    private func setTimer(at time: Duration) {
        if let timer { loop.cancel(timer) }
        // Strong: a peer lives until it has stopped.
        timer = loop.schedule(at: time) {
            if !self.isStopping { self.handle(.timer) }
        }
    }

    func report(_ event: MeshPeerEvent) {
        configuration.onEvent(event)
    }

    private func browsed(_ event: BrowseEvent) {
        loop.execute {
            guard !self.isStopping else { return }
            switch event {
            case .found(let peer):
                if let advertisement = peer.advertisement { self.handle(.found(advertisement)) }
            case .lost(let name): self.handle(.lost(name: Array(name.utf8)))
            case .failed(let error):
                self.log.warning("\(error)")
                self.report(.discoveryFailed(error))
            }
        }
    }
}

// MARK: - Questions

extension MeshDriver {
    var port: UInt16? { state.withLock { $0.port } }

    var links: [MeshLinkStatus] { state.withLock { $0.core.links } }

    var peers: [MeshPeerInfo] {
        state.withLock { state in
            let links = state.core.links
            return state.core.peers.map { Self.info($0, links, state.records) }
        }
    }

    func peer(_ id: MeshPeerID) -> MeshPeerInfo? {
        state.withLock { state in
            if let status = state.core.peer(id) {
                return Self.info(status, state.core.links, state.records)
            }
            // A caller that was refused is no peer of the mesh, but there is a reason to show.
            guard state.records[id] != nil else { return nil }
            var info = MeshPeerInfo(id: id)
            info.note(state.records[id])
            return info
        }
    }

    private static func info(
        _ status: MeshPeerStatus,
        _ links: [MeshLinkStatus],
        _ records: PeerRecords
    ) -> MeshPeerInfo {
        var info = MeshPeerInfo(id: status.peer)
        info.isOnline = status.isOnline
        info.isCompatible = status.isCompatible
        info.neighbours = status.neighbours
        info.isPartial = status.isPartial
        if let link = links.first(where: { $0.peer == status.peer && $0.isOpen }) {
            info.link = (link.connection.isOutgoing, link.reason)
        }
        info.note(records[status.peer])
        return info
    }
}

extension MeshPeerInfo {
    fileprivate mutating func note(_ note: PeerRecords.Record?) {
        guard let note else { return }
        certificate = note.certificate
        replication = note.replication
        collections = note.collections
        subscriptions = note.subscriptions
    }
}
