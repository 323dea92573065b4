public import DivanTransport

/// A network on one thread and in virtual time, with delays, losses and limited bandwidth that depend only on a
/// seed.
///
/// All code runs on one `VirtualLoop`. With the same seed and the same users all events are the same, at the same
/// times, so failures can be reproduced. It supports a thousand connections. Use its members on the thread that
/// runs the loop.
///
/// `@unchecked Sendable` is correct because only that thread uses the state; calls that transports allow from other
/// threads are passed to the loop.
public final class SimulatedNetwork: @unchecked Sendable {
    /// Accepts an incoming connection: call its `start`.
    public typealias Acceptance = @Sendable (any MessageTransport) -> Void
    /// Chooses one of the subprotocols that a client offers; `nil` refuses it.
    public typealias Choice = @Sendable ([String]) -> String?

    private struct Listener {
        let choose: Choice
        let accept: Acceptance
    }

    /// The loop of all connections.
    public let loop: VirtualLoop
    /// The conditions for connections started from now on.
    public var conditions: SimulatedConditions
    /// Called for every event.
    public var onEvent: ((SimulatedEvent) -> Void)?

    private var random: any RandomNumberGenerator
    private var listeners: [String: Listener] = [:]
    private var isolated: Set<String> = []
    private var connections: [Int: SimulatedConnection] = [:]
    private var lastNumber = 0

    /// Creates a network without hosts.
    ///
    /// - Parameters:
    ///   - loop: The loop of the network.
    ///   - random: The source of delays and losses; with a seeded generator runs are repeatable.
    ///   - conditions: The conditions for connections.
    public init(
        loop: VirtualLoop,
        random: some RandomNumberGenerator,
        conditions: SimulatedConditions = SimulatedConditions()
    ) {
        self.loop = loop
        self.random = random
        self.conditions = conditions
    }

    /// Listens at a host, replacing an earlier listener there.
    public func listen(
        at host: String,
        choosing choose: @escaping Choice = { $0.first },
        accept: @escaping Acceptance
    ) {
        listeners[host] = Listener(choose: choose, accept: accept)
    }

    /// Stops listening at a host; existing connections remain.
    public func stopListening(at host: String) {
        listeners[host] = nil
    }

    /// Creates the client's end of a connection between two hosts, which connects when it is started.
    public func makeTransport(
        from client: String,
        to server: String,
        subprotocols: [String]
    ) -> any MessageTransport {
        let route = SimulatedRoute(client: client, server: server, subprotocols: subprotocols)
        return SimulatedTransport(isServer: false, route: route, network: self)
    }

    /// The number of connections that are open or being opened.
    public var connectionCount: Int { connections.count }

    /// Loses the connections of a host now, or of all hosts if it is `nil`.
    public func lose(_ loss: SimulatedLoss, at host: String? = nil) {
        for number in connections.keys.sorted() {
            guard let connection = connections[number] else { continue }
            if host == nil || connection.route.touches(host) { connection.lose(loss) }
        }
    }

    /// Disconnects a host from the network, so that its connections receive nothing, or reconnects it.
    public func setIsolated(_ isIsolated: Bool, host: String) {
        if isIsolated {
            isolated.insert(host)
            lose(.silence, at: host)
        } else {
            isolated.remove(host)
        }
    }

    // MARK: For connections

    func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    func began(_ connection: SimulatedConnection) {
        connections[connection.number] = connection
    }

    func ended(_ connection: SimulatedConnection) {
        connections[connection.number] = nil
    }

    func isIsolated(_ route: SimulatedRoute) -> Bool {
        isolated.contains(route.client) || isolated.contains(route.server)
    }

    /// The server's answer to an attempt; `nil` when nobody listens.
    func answer(to route: SimulatedRoute) -> (subprotocol: String?, accept: Acceptance)? {
        listeners[route.server].map { ($0.choose(route.subprotocols), $0.accept) }
    }

    func note(_ kind: SimulatedEvent.Kind, _ number: Int) {
        onEvent?(SimulatedEvent(time: loop.now, connection: number, kind: kind))
    }

    func draw(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    func draw(_ range: ClosedRange<Duration>) -> Duration {
        let (low, high) = (range.lowerBound.nanoseconds, range.upperBound.nanoseconds)
        return .nanoseconds(Int64.random(in: low...high, using: &random))
    }
}

/// Who connects to whom, and what it offers.
struct SimulatedRoute {
    let client: String
    let server: String
    let subprotocols: [String]

    func touches(_ host: String?) -> Bool { client == host || server == host }

    var place: String { "sim://\(client)/\(server)" }
}

extension Duration {
    /// Whole nanoseconds; some 290 years at most.
    fileprivate var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
