import CDivanTransport
import Glibc

/// A system call that failed.
struct SystemError: Error, Equatable {
    let call: String
    let errno: Int32

    /// Takes the number that the call left in `errno`; use it right after the call.
    init(_ call: String, errno: Int32 = Glibc.errno) {
        self.call = call
        self.errno = errno
    }
}

/// A non-blocking TCP socket; whoever holds it closes it once.
struct Socket {
    let descriptor: Int32

    /// The result of one read or write.
    enum Transfer: Equatable {
        case bytes(Int)
        /// Nothing now; the loop reports when.
        case wouldBlock
        case failed(SystemError)
    }

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Creates a socket of an address family.
    init(family: Int32) throws(SystemError) {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        descriptor = socket(family, type, 0)
        guard descriptor >= 0 else { throw SystemError("socket") }
    }

    func close() {
        Glibc.close(descriptor)
    }

    // MARK: Opening

    /// Starts to connect; `true` when it is done at once.
    func connect(to address: SocketAddress) throws(SystemError) -> Bool {
        let status = address.withPointer { Glibc.connect(descriptor, $0, $1) }
        if status == 0 { return true }
        guard errno == EINPROGRESS || errno == EINTR else { throw SystemError("connect") }
        return false
    }

    /// Throws if a connection attempt has failed.
    func checkConnected() throws(SystemError) {
        if let failure { throw SystemError("connect", errno: failure.errno) }
    }

    /// What broke the connection since the last call; `nil` if nothing did.
    var failure: SystemError? {
        var status: Int32 = 0
        var byteCount = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &status, &byteCount) == 0 else {
            return SystemError("getsockopt")
        }
        return status == 0 ? nil : SystemError("socket", errno: status)
    }

    func bind(to address: SocketAddress) throws(SystemError) {
        guard address.withPointer({ Glibc.bind(descriptor, $0, $1) }) == 0 else {
            throw SystemError("bind")
        }
    }

    func listen(backlog: Int32) throws(SystemError) {
        guard Glibc.listen(descriptor, backlog) == 0 else { throw SystemError("listen") }
    }

    /// Takes a waiting connection; `nil` if there is none.
    func accept() throws(SystemError) -> (Socket, SocketAddress)? {
        var storage = sockaddr_storage()
        var byteCount = socklen_t(MemoryLayout<sockaddr_storage>.size)
        // The storage is larger than any address, and only borrowed for the two calls.
        return try withUnsafeMutablePointer(to: &storage) { pointer throws(SystemError) in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                address throws(SystemError) in
                let accepted = divan_accept(descriptor, address, &byteCount)
                if accepted < 0 {
                    if Self.concernsOneConnection(errno) { return nil }
                    throw SystemError("accept")
                }
                guard let peer = SocketAddress(address, byteCount) else {
                    Glibc.close(accepted)
                    return nil
                }
                return (Socket(descriptor: accepted), peer)
            }
        }
    }

    /// Whether an error of `accept` concerns only the connection that it would have returned: reset in the queue,
    /// forbidden by a firewall, or affected by a network error, which Linux passes on (`accept(2)`).
    static func concernsOneConnection(_ errno: Int32) -> Bool {
        [
            EAGAIN, EINTR, ECONNABORTED, EPROTO, EPERM, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET,
            EHOSTUNREACH, ENETUNREACH,
        ].contains(errno)
    }

    /// The address at this end.
    func localAddress() -> SocketAddress? {
        var storage = sockaddr_storage()
        var byteCount = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard getsockname(descriptor, address, &byteCount) == 0 else { return nil }
                return SocketAddress(address, byteCount)
            }
        }
    }

    // MARK: Options

    func setOption(_ level: Int32, _ name: Int32, _ value: Int32) throws(SystemError) {
        var value = value
        let byteCount = socklen_t(MemoryLayout<Int32>.size)
        guard setsockopt(descriptor, level, name, &value, byteCount) == 0 else {
            throw SystemError("setsockopt")
        }
    }

    /// Sends small messages at once, and makes the system end a connection whose peer acknowledges nothing for that
    /// long; a socket that does not support this is used all the same.
    ///
    /// The sockets that a listening socket accepts inherit its options (`tcp(7)`).
    func prepareForMessages(stallTimeout: Duration) {
        try? setOption(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        let milliseconds = min(max(stallTimeout / .milliseconds(1), 1), Double(Int32.max))
        try? setOption(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, Int32(milliseconds))
    }

    /// Acknowledges at once what is read next.
    ///
    /// The system resets this, so it is set after each read: otherwise peers that leave Nagle's algorithm on (Sync
    /// Gateway) wait 40 ms for us (`websocket-and-urls.md` §4).
    func setQuickAcknowledgement() {
        try? setOption(Int32(IPPROTO_TCP), TCP_QUICKACK, 1)
    }

    // MARK: Bytes

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        transfer("recv", recv(descriptor, buffer.baseAddress, buffer.count, 0))
    }

    /// Whether there is something to receive; it is not consumed.
    var hasUnreadBytes: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK)) > 0
    }

    /// Writes; with `isMoreComing` the system may wait for what follows immediately, such as `shutdownSending`.
    func send(_ bytes: UnsafeRawBufferPointer, isMoreComing: Bool = false) -> Transfer {
        // Without the first flag a closed peer would raise SIGPIPE and end the process.
        let flags = isMoreComing ? MSG_NOSIGNAL | MSG_MORE : MSG_NOSIGNAL
        return transfer(
            "send",
            Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(flags))
        )
    }

    /// Stops listening before the socket is closed: nobody can connect any more, and a socket with `SO_REUSEADDR` may
    /// listen on the port.
    func stopListening() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Makes `close` reset the connection, so that the peer does not take what it has for complete.
    func resetAtClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        let byteCount = socklen_t(MemoryLayout<linger>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, byteCount)
    }

    /// Tells the peer that nothing more will be sent.
    func shutdownSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    private func transfer(_ call: String, _ count: Int) -> Transfer {
        if count >= 0 { return .bytes(count) }
        let isTemporary = errno == EAGAIN || errno == EINTR
        return isTemporary ? .wouldBlock : .failed(SystemError(call))
    }
}
