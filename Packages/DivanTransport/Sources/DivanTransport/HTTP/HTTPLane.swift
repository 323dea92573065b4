import DivanHTTP
import DivanLog
import DivanTLS
import Synchronization

/// Thread-safe access to those HTTP connections of a server that live on one loop.
final class HTTPLane: Sendable {
    private let loop: EpollLoop
    private let channels = Mutex<LoopBound<HTTPChannels>?>(nil)
    private let make: @Sendable () -> HTTPChannels

    init(
        loop: EpollLoop,
        _ configuration: HTTPServerConfiguration,
        limit: Int,
        count: ConnectionCount,
        room: BodyRoom,
        log: Log,
        onRequest: @escaping @Sendable (HTTPExchange) -> Void
    ) {
        self.loop = loop
        make = {
            HTTPChannels(
                loop: loop,
                configuration,
                limit: limit,
                count: count,
                room: room,
                log: log,
                onRequest: onRequest
            )
        }
    }

    /// Takes over an accepted socket; from any thread.
    func admit(_ socket: Socket, from address: SocketAddress) {
        loop.execute { self.own().open(socket, address) }
    }

    /// Closes every connection; from any thread.
    func stop() {
        loop.execute { self.own().stop() }
    }

    /// The connections, created on first use; on the loop.
    private func own() -> HTTPChannels {
        let bound = channels.withLock { channels in
            let bound = channels ?? LoopBound(make(), to: loop)
            channels = bound
            return bound
        }
        return bound.value
    }
}

/// The HTTP connections of one loop; everything here happens on that loop.
final class HTTPChannels {
    private let loop: EpollLoop
    private let configuration: HTTPServerConfiguration
    private let limit: Int
    private let count: ConnectionCount
    private let room: BodyRoom
    private let log: Log
    private let onRequest: @Sendable (HTTPExchange) -> Void
    private var channels: [Int: HTTPChannel] = [:]
    private var lastNumber = 0
    private var isStopped = false

    init(
        loop: EpollLoop,
        _ configuration: HTTPServerConfiguration,
        limit: Int,
        count: ConnectionCount,
        room: BodyRoom,
        log: Log,
        onRequest: @escaping @Sendable (HTTPExchange) -> Void
    ) {
        self.loop = loop
        self.configuration = configuration
        self.limit = limit
        self.count = count
        self.room = room
        self.log = log
        self.onRequest = onRequest
    }

    /// Closes every connection, and accepts no more.
    func stop() {
        isStopped = true
        for channel in channels.values { channel.close() }
    }

    /// Starts a connection.
    func open(_ socket: Socket, _ address: SocketAddress) {
        guard !isStopped else { return socket.close() }
        if channels.count >= limit { makeRoom(for: address) }
        guard channels.count < limit else {
            log.warning("\(address): refused, too many connections")
            count.addRefused()
            return socket.close()
        }
        let session: TLSSession?
        do throws(TLSError) {
            session = try configuration.tls.map { context throws(TLSError) in
                try TLSSession(context)
            }
        } catch {
            log.error("\(address): \(error)")
            return socket.close()
        }
        lastNumber += 1
        let number = lastNumber
        let stream = ByteStream(
            socket,
            tls: session,
            loop: loop,
            limits: configuration.transport
        )
        let channel = HTTPChannel(
            stream,
            address: address,
            isSecure: session != nil,
            configuration: configuration,
            room: room,
            log: log,
            onRequest: onRequest
        ) { [weak self] in self?.forget(number) }
        channels[number] = channel
        count.add(1)
        channel.start()
    }

    /// Makes room: closes one of the connections without a complete request, or if there is none, the youngest of the
    /// address that holds the most, if that has more than the newcomer's address would have.
    private func makeRoom(for newcomer: SocketAddress) {
        if let dispensable = dispensable(for: newcomer) { return dispensable.close() }
        let owned = Dictionary(grouping: channels) { party($0.value.address) }
        let newCount = (owned[newcomer.origin]?.count ?? 0) + 1
        let most = owned.filter { $0.key != nil }.values.max { $0.count < $1.count }
        guard let most, most.count > newCount, let youngest = most.max(by: { $0.key < $1.key })
        else { return }
        log.warning("\(youngest.value.address): cut off, its address holds the most connections")
        youngest.value.close()
    }

    /// The connection without a complete request to close first: an idle one before others, then the oldest.
    ///
    /// It is one of the address that has the most of these, counting the newcomer: whoever opens many closes its own.
    private func dispensable(for newcomer: SocketAddress) -> HTTPChannel? {
        let waiting = channels.filter { $0.value.isWaiting }
        var counts: [SocketAddress.Origin: Int] = [:]
        for address in waiting.map(\.value.address) + [newcomer] {
            if let party = party(address) { counts[party, default: 0] += 1 }
        }
        typealias Order = (Int, Int, Duration, Int)
        func order(_ number: Int, _ channel: HTTPChannel) -> Order {
            let count = party(channel.address).flatMap { counts[$0] } ?? 1
            return (-count, channel.isIdle ? 0 : 1, channel.idleSince, number)
        }
        return waiting.min { order($0.key, $0.value) < order($1.key, $1.value) }?.value
    }

    /// The party that a connection counts for; none for a proxy on this machine, which represents many clients.
    private func party(_ address: SocketAddress) -> SocketAddress.Origin? {
        configuration.transport.sparesLoopback && address.isLoopback ? nil : address.origin
    }

    private func forget(_ number: Int) {
        guard channels.removeValue(forKey: number) != nil else { return }
        count.add(-1)
    }
}

/// Assigns connections to the lanes in turn.
final class LaneChoice: Sendable {
    private let lanes: [HTTPLane]
    private let turn = Atomic<UInt>(0)

    init(lanes: [HTTPLane]) {
        self.lanes = lanes
    }

    func next() -> HTTPLane {
        let turn = turn.wrappingAdd(1, ordering: .relaxed).oldValue
        return lanes[Int(turn % UInt(lanes.count))]
    }
}
