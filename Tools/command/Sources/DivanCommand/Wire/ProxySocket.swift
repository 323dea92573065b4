import DivanCommandLine
import Glibc

/// The sockets of `divan wire proxy`: opened here, and non-blocking from then on.
enum ProxySocket {
    /// How long a server may take to accept a connection, in seconds.
    private static let patience = 10

    /// Listens on a port of a host; port 0 chooses any free one.
    static func listen(_ host: String, _ port: UInt16) throws(Failure) -> Int32 {
        try open(host, port, flags: AI_PASSIVE, verb: "listen on") { descriptor, address in
            var on: Int32 = 1
            setsockopt(
                descriptor,
                SOL_SOCKET,
                SO_REUSEADDR,
                &on,
                socklen_t(MemoryLayout<Int32>.size)
            )
            return bind(descriptor, address.ai_addr, address.ai_addrlen) == 0
                && Glibc.listen(descriptor, 64) == 0
        }
    }

    /// Connects to a port of a host.
    static func connect(_ host: String, _ port: UInt16) throws(Failure) -> Int32 {
        try open(host, port, flags: 0, verb: "connect to") { descriptor, address in
            var wait = timeval(tv_sec: patience, tv_usec: 0)
            let byteCount = socklen_t(MemoryLayout<timeval>.size)
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &wait, byteCount)
            return Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) == 0
        }
    }

    private static func open(
        _ host: String,
        _ port: UInt16,
        flags: Int32,
        verb: String,
        _ begin: (Int32, addrinfo) -> Bool
    ) throws(Failure) -> Int32 {
        var (hints, found) = (addrinfo(), UnsafeMutablePointer<addrinfo>?.none)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = flags
        let status = getaddrinfo(host, String(port), &hints, &found)
        defer { if let found { freeaddrinfo(found) } }
        guard status == 0 else {
            throw Failure(
                kind: .unreachable,
                sentence: "\(host): \(String(cString: gai_strerror(status)))",
                hint: "check the host name"
            )
        }
        var problem: Int32 = 0
        for address in sequence(first: found, next: { $0?.pointee.ai_next }) {
            guard let address = address?.pointee else { continue }
            let kind = address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue)
            let descriptor = socket(address.ai_family, kind, address.ai_protocol)
            if descriptor >= 0, begin(descriptor, address) {
                settle(descriptor)
                return descriptor
            }
            // A connection that timed out ends with EINPROGRESS.
            problem = errno == EINPROGRESS ? ETIMEDOUT : errno
            if descriptor >= 0 { close(descriptor) }
        }
        throw Failure(
            kind: .unreachable,
            text: "cannot \(verb) \(host) port \(port): "
                + "\(String(cString: strerror(problem))); check the host and the port"
        )
    }

    /// Makes it non-blocking, and not inherited by children.
    static func settle(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    /// The local port of a socket, or the remote one.
    static func port(of descriptor: Int32, isOther: Bool = false) -> UInt16 {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        // The address is used only during the call.
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                isOther
                    ? getpeername(descriptor, pointer, &size)
                    : getsockname(descriptor, pointer, &size)
            }
        }
        guard status == 0 else { return 0 }
        // The port is at the same offset for both families.
        return withUnsafeBytes(of: &address) { UInt16($0[2]) << 8 | UInt16($0[3]) }
    }

    /// The result of reading.
    enum Reading {
        case bytes([UInt8])
        case nothing
        case end
    }

    /// Reads what has arrived.
    static func read(_ descriptor: Int32) -> Reading {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        if count > 0 { return .bytes(Array(bytes.prefix(count))) }
        return count < 0 && (errno == EAGAIN || errno == EINTR) ? .nothing : .end
    }

    /// Writes what can be written now; returns how much, `nil` if the other end has closed the connection.
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int? {
        let count = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        if count >= 0 { return count }
        return errno == EAGAIN || errno == EINTR ? 0 : nil
    }
}
