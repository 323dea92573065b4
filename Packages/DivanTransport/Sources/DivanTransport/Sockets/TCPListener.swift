import DivanLog
import DivanPlatform
import Synchronization

/// Accepts connections on one listening socket, on one loop.
///
/// `@unchecked Sendable` holds because everything after `init` happens on the loop, except for the first step of
/// `stop`, which is atomic.
final class TCPListener: EventSource, @unchecked Sendable {
    let socket: Socket

    private let loop: EpollLoop
    private let pause: Duration
    private let log: Log
    private let didAccept: @Sendable (Socket, SocketAddress) -> Void
    private let isOpen = Atomic(true)

    /// Connections accepted in one turn; the loop's other work must continue.
    private static let acceptCount = 64

    init(
        _ socket: Socket,
        loop: EpollLoop,
        pause: Duration,
        log: Log,
        didAccept: @escaping @Sendable (Socket, SocketAddress) -> Void
    ) {
        self.socket = socket
        self.loop = loop
        self.pause = pause
        self.log = log
        self.didAccept = didAccept
    }

    func start() {
        loop.execute { self.loop.add(self.socket.descriptor, self, .reading) }
    }

    /// Stops listening at once; connections not accepted yet are reset.
    ///
    /// The socket is closed on the loop, which may be using it, and then `completion` is called.
    func stop(_ completion: @escaping @Sendable () -> Void) {
        let isFirst = isOpen.exchange(false, ordering: .acquiringAndReleasing)
        if isFirst { socket.shutdownBoth() }
        loop.execute {
            if isFirst {
                self.loop.remove(self.socket.descriptor)
                self.socket.close()
            }
            completion()
        }
    }

    private var isStopped: Bool { !isOpen.load(ordering: .acquiring) }

    func isReadable() {
        let reserve = DescriptorReserve()
        do throws(SystemError) {
            for _ in 0..<Self.acceptCount {
                guard !isStopped, let (accepted, address) = try socket.accept() else { return }
                guard !reserve.contains(accepted) else {
                    accepted.close()
                    throw SystemError("accept", .tooManyOpenFiles)
                }
                didAccept(accepted, address)
            }
        } catch {
            // A socket that no longer listens returns an error; that is not a failure.
            if !isStopped { wait(after: error) }
        }
    }

    func isWritable() {}

    /// Leaves connections in the queue for a moment; otherwise the loop would spin.
    private func wait(after error: SystemError) {
        let problem = TransportError(
            .system(call: error.call, errno: error.errno.rawValue),
            place: socket.localAddress()?.description ?? "listener"
        )
        log.warning("\(problem)")
        loop.change(socket.descriptor, [])
        loop.schedule(at: loop.now + pause) { [weak self] in
            guard let self, !isStopped else { return }
            loop.change(socket.descriptor, .reading)
        }
    }
}

extension TCPListener {
    /// Opens the listening sockets for an interface, by name or address; `nil` means all.
    ///
    /// All use the same port, even if `port` is 0 and the system chooses. An accepted connection is given up if its
    /// peer acknowledges nothing for `stallTimeout`.
    static func openSockets(
        on interface: String?,
        port: UInt16,
        stallTimeout: Duration
    ) throws(TransportError) -> [Socket] {
        guard let interface else { return [try openEverywhere(port, stallTimeout)] }
        let addresses = NetworkInterface.addresses(of: interface)
        guard let first = addresses.first else {
            throw TransportError(.unknownInterface(interface), place: "listener")
        }
        var sockets = [try open(first.withPort(port), stallTimeout)]
        do {
            let chosen = sockets[0].localAddress()?.port ?? port
            for address in addresses.dropFirst() {
                sockets.append(try open(address.withPort(chosen), stallTimeout))
            }
            return sockets
        } catch {
            for socket in sockets { socket.close() }
            throw error
        }
    }

    /// One socket for IPv6 and IPv4, or for IPv4 alone if there is no IPv6.
    private static func openEverywhere(
        _ port: UInt16,
        _ stallTimeout: Duration
    ) throws(TransportError) -> Socket {
        if let all = SocketAddress(host: "::", port: port) {
            do throws(TransportError) {
                return try open(all, stallTimeout)
            } catch  where error.isWithoutIPv6 {}
        }
        guard let all = SocketAddress(host: "0.0.0.0", port: port) else {
            throw TransportError(.unknownInterface("0.0.0.0"), place: "listener")
        }
        return try open(all, stallTimeout)
    }

    private static func open(
        _ address: SocketAddress,
        _ stallTimeout: Duration
    ) throws(TransportError) -> Socket {
        do throws(SystemError) {
            let socket = try Socket(family: address.family)
            do throws(SystemError) {
                // A restarted listener gets its port although old connections linger.
                try socket.setOption(.reuseAddress, 1)
                if address.family == .ipv6 {
                    let isWildcard = address.host == "::"
                    try socket.setOption(.onlyIPv6, isWildcard ? 0 : 1)
                }
                socket.prepareForMessages(stallTimeout: stallTimeout)
                try socket.bind(to: address)
                try socket.listen(backlog: 1024)
                return socket
            } catch {
                socket.close()
                throw error
            }
        } catch {
            throw TransportError(
                .system(call: error.call, errno: error.errno.rawValue),
                place: address.description
            )
        }
    }
}

extension TransportError {
    /// Whether this machine has no IPv6; a taken port is no reason to do without it.
    fileprivate var isWithoutIPv6: Bool {
        guard case .system(_, let number) = reason else { return false }
        return [
            .addressFamilyNotSupported, .addressNotAvailable, .protocolNotAvailable,
            .protocolNotSupported,
        ].contains(Errno(number))
    }
}
