internal import CDivanPlatform
internal import Glibc

/// A TCP socket; whoever holds it closes it once.
///
/// One that is created, or accepted with `accept`, does not block, unless it is asked to.
public struct Socket: Hashable, Sendable {
    /// The open socket.
    public let descriptor: FileDescriptor

    /// The result of one read or write.
    public enum Transfer: Equatable, Sendable {
        /// The number of bytes.
        case bytes(Int)
        /// Nothing now; the poller reports when.
        case wouldBlock
        /// The error of the system.
        case failed(SystemError)
    }

    /// Wraps an open socket.
    public init(descriptor: FileDescriptor) {
        self.descriptor = descriptor
    }

    /// Creates a socket of an address family.
    public init(
        family: SocketAddress.Family,
        isBlocking: Bool = false
    ) throws(SystemError) {
        let mode = isBlocking ? 0 : SOCK_NONBLOCK.rawValue
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | mode)
        let number = socket(family.rawValue, type, 0)
        guard number >= 0 else { throw SystemError("socket") }
        descriptor = FileDescriptor(number)
    }

    /// Creates two connected sockets within this machine, which block.
    public static func pair() throws(SystemError) -> (Socket, Socket) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw SystemError("socketpair") }
        return (
            Socket(descriptor: FileDescriptor(ends[0])), Socket(descriptor: FileDescriptor(ends[1]))
        )
    }

    private var number: Int32 { descriptor.rawValue }

    /// Closes it.
    public func close() {
        descriptor.close()
    }
}

// MARK: Opening

extension Socket {
    /// Starts to connect; `true` when it is done at once.
    public func connect(to address: SocketAddress) throws(SystemError) -> Bool {
        let status = address.withPointer { Glibc.connect(number, $0, $1) }
        if status == 0 { return true }
        guard errno == EINPROGRESS || errno == EINTR else { throw SystemError("connect") }
        return false
    }

    /// Connects a socket that blocks; `nowInProgress` means that its timeout is over.
    public func connectBlocking(to address: SocketAddress) throws(SystemError) {
        guard address.withPointer({ Glibc.connect(number, $0, $1) }) == 0 else {
            throw SystemError("connect")
        }
    }

    /// Throws if a connection attempt has failed.
    public func checkConnected() throws(SystemError) {
        if let failure { throw SystemError("connect", failure.errno) }
    }

    /// What broke the connection since the last call; `nil` if nothing did.
    public var failure: SystemError? {
        var status: Int32 = 0
        var byteCount = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(number, SOL_SOCKET, SO_ERROR, &status, &byteCount) == 0 else {
            return SystemError("getsockopt")
        }
        return status == 0 ? nil : SystemError("socket", Errno(status))
    }

    /// Gives it a local address.
    public func bind(to address: SocketAddress) throws(SystemError) {
        guard address.withPointer({ Glibc.bind(number, $0, $1) }) == 0 else {
            throw SystemError("bind")
        }
    }

    /// Begins to listen.
    public func listen(backlog: Int32) throws(SystemError) {
        guard Glibc.listen(number, backlog) == 0 else { throw SystemError("listen") }
    }

    /// Takes a waiting connection as a socket that does not block; `nil` if there is none.
    public func accept() throws(SystemError) -> (Socket, SocketAddress)? {
        let (accepted, peer) = SocketAddress.written { divan_accept(number, $0, $1) }
        if accepted < 0 {
            let reason = Errno.current
            if Self.concernsOneConnection(reason) { return nil }
            throw SystemError("accept", reason)
        }
        let socket = Socket(descriptor: FileDescriptor(accepted))
        guard let peer else {
            socket.close()
            return nil
        }
        return (socket, peer)
    }

    /// Waits for a connection, which blocks; one of any family, also within this machine.
    public func acceptBlocking() throws(SystemError) -> Socket {
        let accepted = Glibc.accept(number, nil, nil)
        guard accepted >= 0 else { throw SystemError("accept") }
        let descriptor = FileDescriptor(accepted)
        descriptor.closeOnExec()
        return Socket(descriptor: descriptor)
    }

    /// Whether an error of `accept` concerns only the connection that it would have returned: reset in the queue,
    /// forbidden by a firewall, or affected by a network error, which Linux passes on (`accept(2)`).
    public static func concernsOneConnection(_ errno: Errno) -> Bool {
        [
            EAGAIN, EINTR, ECONNABORTED, EPROTO, EPERM, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET,
            EHOSTUNREACH, ENETUNREACH,
        ].contains(errno.rawValue)
    }

    /// The address at this end.
    public func localAddress() -> SocketAddress? {
        SocketAddress.written { getsockname(number, $0, $1) }.address
    }

    /// The address at the other end.
    public func remoteAddress() -> SocketAddress? {
        SocketAddress.written { getpeername(number, $0, $1) }.address
    }
}

// MARK: Options

extension Socket {
    /// An option with a number as its value.
    public struct Option: Sendable {
        let level: Int32
        let name: Int32

        /// `SO_REUSEADDR`.
        public static let reuseAddress = Option(level: SOL_SOCKET, name: SO_REUSEADDR)
        /// `SO_RCVBUF`.
        public static let receiveBuffer = Option(level: SOL_SOCKET, name: SO_RCVBUF)
        /// `SO_SNDBUF`.
        public static let sendBuffer = Option(level: SOL_SOCKET, name: SO_SNDBUF)
        /// `IPV6_V6ONLY`.
        public static let onlyIPv6 = Option(level: Int32(IPPROTO_IPV6), name: IPV6_V6ONLY)
        /// `TCP_NODELAY`.
        public static let noDelay = Option(level: Int32(IPPROTO_TCP), name: TCP_NODELAY)
        /// `TCP_USER_TIMEOUT`.
        public static let userTimeout = Option(level: Int32(IPPROTO_TCP), name: TCP_USER_TIMEOUT)
        /// `TCP_QUICKACK`.
        public static let quickAcknowledgement = Option(
            level: Int32(IPPROTO_TCP),
            name: TCP_QUICKACK
        )
    }

    /// Sets an option.
    public func setOption(_ option: Option, _ value: Int32) throws(SystemError) {
        var value = value
        let byteCount = socklen_t(MemoryLayout<Int32>.size)
        guard setsockopt(number, option.level, option.name, &value, byteCount) == 0 else {
            throw SystemError("setsockopt")
        }
    }

    /// The value of an option; `nil` if the system does not tell.
    public func option(_ option: Option) -> Int32? {
        var value: Int32 = 0
        var byteCount = socklen_t(MemoryLayout<Int32>.size)
        let status = getsockopt(number, option.level, option.name, &value, &byteCount)
        return status == 0 ? value : nil
    }

    /// How long reading and writing wait on a socket that blocks; 0 for without limit, `nil` to leave one as it is.
    public func setTimeouts(receiving: Int? = nil, sending: Int? = nil) {
        for (name, seconds) in [(SO_RCVTIMEO, receiving), (SO_SNDTIMEO, sending)] {
            guard let seconds else { continue }
            var wait = timeval(tv_sec: seconds, tv_usec: 0)
            setsockopt(number, SOL_SOCKET, name, &wait, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// Makes `close` reset the connection, so that the peer does not take what it has for complete.
    public func resetAtClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        let byteCount = socklen_t(MemoryLayout<linger>.size)
        setsockopt(number, SOL_SOCKET, SO_LINGER, &option, byteCount)
    }
}

// MARK: Bytes

extension Socket {
    /// Reads what has arrived; 0 bytes at the end.
    public func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        transfer("recv", recv(number, buffer.baseAddress, buffer.count, 0))
    }

    /// Reads at most `count` bytes; none at the end, after an error and after a timeout.
    public func receive(upTo count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = max(0, uninterrupted { recv(number, buffer.baseAddress, count, 0) })
        }
    }

    /// The next byte, which is not consumed; `nil` if there is none.
    public func peek() -> UInt8? {
        var byte: UInt8 = 0
        return recv(number, &byte, 1, Int32(MSG_PEEK)) == 1 ? byte : nil
    }

    /// Whether there is something to receive; it is not consumed.
    public var hasUnreadBytes: Bool { peek() != nil }

    /// Writes; with `isMoreComing` the system may wait for what follows immediately, such as `shutdownSending`.
    public func send(_ bytes: UnsafeRawBufferPointer, isMoreComing: Bool = false) -> Transfer {
        // Without the first flag a closed peer would raise SIGPIPE and end the process.
        let flags = isMoreComing ? MSG_NOSIGNAL | MSG_MORE : MSG_NOSIGNAL
        return transfer("send", Glibc.send(number, bytes.baseAddress, bytes.count, Int32(flags)))
    }

    /// Writes every byte on a socket that blocks; false if the other end has closed it.
    @discardableResult
    public func sendAll(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                let count = uninterrupted {
                    Glibc.send(number, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
            return true
        }
    }

    /// The bytes that the other end's system has not confirmed yet; `nil` if the connection is over.
    public var unconfirmedByteCount: Int? {
        var count: Int32 = 0
        return ioctl(number, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : nil
    }

    /// Ends the connection with a reset at once; the socket stays open.
    public func reset() {
        var nowhere = sockaddr()  // of no family
        _ = Glibc.connect(number, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
    }

    /// Ends both directions, and stops listening: nobody can connect any more, and a socket with `reuseAddress` may
    /// listen on the port.
    public func shutdownBoth() {
        shutdown(number, Int32(SHUT_RDWR))
    }

    /// Tells the peer that nothing more will be sent.
    public func shutdownSending() {
        shutdown(number, Int32(SHUT_WR))
    }

    private func transfer(_ call: String, _ count: Int) -> Transfer {
        if count >= 0 { return .bytes(count) }
        let isTemporary = errno == EAGAIN || errno == EINTR
        return isTemporary ? .wouldBlock : .failed(SystemError(call))
    }
}
