import DivanHTTP
import DivanLog
import DivanPlatform
import DivanTLS
import Synchronization

/// Thread-safe access to those HTTP connections of a server that live on one loop.
final class HTTPServerShard: Sendable {
    private let loop: EpollLoop
    private let channels = Mutex<LoopBound<HTTPChannels>?>(nil)
    private let make: @Sendable () -> HTTPChannels

    init(
        loop: EpollLoop,
        _ configuration: HTTPServerConfiguration,
        tls: CurrentTLS,
        limit: Int,
        count: ConnectionCount,
        crowding: ConnectionEvictions,
        room: BodyMemoryBudget,
        log: Log,
        onRequest: @escaping @Sendable (HTTPExchange) -> Void
    ) {
        self.loop = loop
        make = {
            HTTPChannels(
                loop: loop,
                configuration,
                tls: tls,
                limit: limit,
                count: count,
                crowding: crowding,
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

    /// Closes the connections of clients that are no longer welcome, or all of them; from any thread.
    func dismiss(all: Bool) {
        loop.execute { self.own().dismiss(all: all) }
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
    private let tls: CurrentTLS
    private let limit: Int
    private let count: ConnectionCount
    private let crowding: ConnectionEvictions
    private let room: BodyMemoryBudget
    private let log: Log
    private let onRequest: @Sendable (HTTPExchange) -> Void
    private var channels: [Int: HTTPChannel] = [:]
    private var lastNumber = 0
    private var isStopped = false

    init(
        loop: EpollLoop,
        _ configuration: HTTPServerConfiguration,
        tls: CurrentTLS,
        limit: Int,
        count: ConnectionCount,
        crowding: ConnectionEvictions,
        room: BodyMemoryBudget,
        log: Log,
        onRequest: @escaping @Sendable (HTTPExchange) -> Void
    ) {
        self.loop = loop
        self.configuration = configuration
        self.tls = tls
        self.limit = limit
        self.count = count
        self.crowding = crowding
        self.room = room
        self.log = log
        self.onRequest = onRequest
    }

    /// Closes every connection, and accepts no more.
    func stop() {
        isStopped = true
        for channel in channels.values { channel.close() }
    }

    /// Closes the connections of clients that are no longer welcome, or all of them.
    func dismiss(all: Bool) {
        for channel in channels.values where all || !channel.isWelcome { channel.close() }
    }

    /// Starts a connection.
    func open(_ socket: Socket, _ address: SocketAddress) {
        guard !isStopped else { return socket.close() }
        if channels.count >= limit { makeRoom(for: address) }
        let session: TLSSession?
        do throws(TLSError) {
            session = try tls.makeSession()
        } catch {
            log.error("\(address: address): \(error)")
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

    /// Makes room for a client: closes the connection of the heaviest party that has been idle for longest.
    private func makeRoom(for newcomer: SocketAddress) {
        let newParty = party(newcomer)
        var counts = [newParty: 1]
        for channel in channels.values { counts[party(channel.client), default: 0] += 1 }
        // Parties within a fair share are equal: of these, whoever has an idle connection loses it.
        let share = limit / 8
        func order(_ number: Int, _ channel: HTTPChannel) -> (Int, Int, Duration, Int) {
            let count = counts[party(channel.client)] ?? 0
            return (count > share ? -count : 0, channel.busyness, channel.lastProgress, number)
        }
        let victim = channels.min { order($0.key, $0.value) < order($1.key, $1.value) }?.value
        guard let victim else { return }
        let count = counts[party(victim.client)] ?? 0
        crowding.note(
            at: loop.now,
            log,
            "\(victim.client.host) has \(count) of \(channels.count) connections"
        )
        victim.close()
    }

    /// The party that a connection counts for: an address, or this machine as a whole.
    private func party(_ address: SocketAddress) -> SocketAddress.Origin? {
        configuration.transport.sparesLoopback && address.isLoopback ? nil : address.origin
    }

    private func forget(_ number: Int) {
        guard channels.removeValue(forKey: number) != nil else { return }
        count.add(-1)
    }
}

/// Assigns connections to the shards in turn.
final class ShardSelector: Sendable {
    private let shards: [HTTPServerShard]
    private let turn = Atomic<UInt>(0)

    init(shards: [HTTPServerShard]) {
        self.shards = shards
    }

    func next() -> HTTPServerShard {
        let turn = turn.wrappingAdd(1, ordering: .relaxed).oldValue
        return shards[Int(turn % UInt(shards.count))]
    }
}
