import DivanPlatform
import DivanTransport
import DivanWebSocket

/// Two ends and the link between them; used on the loop only.
///
/// The network keeps it from the attempt until both ends are over.
final class SimulatedConnection {
    let number: Int
    let route: SimulatedRoute
    let conditions: SimulatedConditions
    /// What both ends know of each other, once that is agreed on.
    private(set) var peer: TransportPeer?
    /// Whether nothing gets through any more.
    private(set) var isLost = false
    /// Whether it was lost silently.
    private(set) var isSilent = false

    private let network: SimulatedNetwork
    private let client: SimulatedTransport
    private let server: SimulatedTransport
    private var lifeTimer: TimerToken?

    init(from client: SimulatedTransport, route: SimulatedRoute, network: SimulatedNetwork) {
        self.client = client
        self.route = route
        self.network = network
        conditions = network.conditions
        number = network.nextNumber()
        server = SimulatedTransport(isServer: true, route: route, network: network)
        client.join(self, other: server)
        server.join(self, other: client)
    }

    private var loop: VirtualLoop { network.loop }

    /// The delay in one direction, drawn for this time.
    func latency() -> Duration { network.draw(conditions.latency) }

    /// Reports an event to the network's observer.
    func note(_ kind: SimulatedEvent.Kind) { network.note(kind, number) }

    /// Does something at the other end at `time`, unless the connection is silent by then.
    func arrive(at time: Duration, _ work: @escaping () -> Void) {
        loop.scheduleHere(at: time) { [weak self] in if self?.isSilent == false { work() } }
    }

    // MARK: Opening

    /// Connects the client: TCP, TLS and HTTP take three round trips.
    func open() {
        network.began(self)
        let delay = latency() + latency() + latency()
        later(delay) { $0.decide(waited: delay) }
    }

    private func decide(waited: Duration) {
        guard client.isOpening else { return }
        let timeout = conditions.limits.connectTimeout
        guard !network.isIsolated(route), waited < timeout else {
            return later(timeout - waited) { $0.refuse(.timeout(.connection)) }
        }
        guard network.draw(1...100) > conditions.refusedPercentage,
            let answer = network.answer(to: route)
        else { return refuse(.system(call: "connect", errno: Errno.connectionRefused.rawValue)) }
        guard let subprotocol = answer.subprotocol else {
            return refuse(.refused(status: 400, explanation: "no subprotocol", headers: [:]))
        }
        peer = TransportPeer(subprotocol: subprotocol)
        note(.opened)
        let delay = latency()
        server.admit(repliesArriveFrom: loop.now + delay)
        answer.accept(server)
        later(delay) { connection in
            if !connection.isLost { connection.client.didOpen() }
        }
        limitLife()
    }

    private func limitLife() {
        guard let lifetime = conditions.lifetime, !conditions.losses.isEmpty else { return }
        let loss = conditions.losses[network.draw(0...(conditions.losses.count - 1))]
        let end = loop.now + network.draw(lifetime)
        lifeTimer = loop.scheduleHere(at: end) { [weak self] in self?.lose(loss) }
    }

    private func refuse(_ reason: TransportError.Reason) {
        guard client.isOpening else { return }
        note(.refused)
        client.fail(reason)
        server.fail(reason)
    }

    private func later(_ delay: Duration, _ work: @escaping (SimulatedConnection) -> Void) {
        loop.scheduleHere(at: loop.now + max(.zero, delay)) { [weak self] in
            if let self { work(self) }
        }
    }

    // MARK: Ending

    /// Loses the connection, once.
    func lose(_ loss: SimulatedLoss) {
        guard !isLost else { return }
        isLost = true
        isSilent = loss == .silence
        note(.lost(loss))
        for end in [client, server] {
            switch loss {
            case .end: end.endBehindInput()
            case .reset: end.fail(.system(call: "recv", errno: Errno.connectionReset.rawValue))
            case .silence: end.watchSilence()
            }
        }
    }

    /// An end is over; the connection is when both are.
    func didEnd() {
        guard client.hasEnded, server.hasEnded else { return }
        if let lifeTimer { loop.cancel(lifeTimer) }
        network.ended(self)
    }
}
