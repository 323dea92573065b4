import Glibc

/// Lowers this process's limit of open files.
func limitDescriptors(to count: Int) {
    var limit = rlimit(rlim_cur: rlim_t(count), rlim_max: rlim_t(count))
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}

/// How many descriptors this process has open.
func descriptorCount() -> Int {
    guard let directory = opendir("/proc/self/fd") else { return -1 }
    defer { closedir(directory) }
    var count = 0
    while readdir(directory) != nil { count += 1 }
    return count
}

/// Whether, within ten seconds, no more than `count` descriptors are open.
///
/// Streams may still be ending; the wait repeatedly lets other work run.
func descriptorsFall(to count: Int) async -> Bool {
    let deadline = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now < deadline {
        if (0...count).contains(descriptorCount()) { return true }
        await Task.yield()
    }
    return false
}

/// The ports of a local IPv4 socket; `peer` is `nil` while it is not connected.
struct SocketPorts {
    let own: UInt16?
    let peer: UInt16?

    init(_ descriptor: Int32) {
        own = Self.port { getsockname(descriptor, $0, $1) }
        peer = Self.port { getpeername(descriptor, $0, $1) }
    }

    private static func port(
        _ ask: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> UInt16? {
        var address = sockaddr_in()
        var byteCount = socklen_t(MemoryLayout<sockaddr_in>.size)
        // The system writes at most `byteCount` bytes of an address during the call.
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask($0, &byteCount) }
        }
        guard status == 0, Int32(address.sin_family) == AF_INET else { return nil }
        return UInt16(bigEndian: address.sin_port)
    }
}

/// The first descriptor of this process that is a socket with such ports.
func descriptor(where isWanted: (SocketPorts) -> Bool) -> Int32? {
    (0..<Int32(1_024)).first { isWanted(SocketPorts($0)) }
}

/// A TCP option; `nil` if the socket has none.
func tcpOption(_ name: Int32, of descriptor: Int32) -> Int32? {
    var value: Int32 = -1
    var byteCount = socklen_t(MemoryLayout<Int32>.size)
    let status = getsockopt(descriptor, Int32(IPPROTO_TCP), name, &value, &byteCount)
    return status == 0 ? value : nil
}
