import DivanPlatform

/// Lowers this process's limit of open files.
func limitDescriptors(to count: Int) {
    CurrentProcess.setDescriptorLimit(UInt64(count))
}

/// How many descriptors this process has open; with the names of the directory and of its parent.
func descriptorCount() -> Int {
    (try? FileSystem.names(in: "/proc/self/fd")).map { $0.count + 2 } ?? -1
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

    init(_ socket: Socket) {
        own = Self.port(socket.localAddress())
        peer = Self.port(socket.remoteAddress())
    }

    private static func port(_ address: SocketAddress?) -> UInt16? {
        address?.family == .ipv4 ? address?.port : nil
    }
}

/// The first socket of this process with such ports.
func socket(where isWanted: (SocketPorts) -> Bool) -> Socket? {
    (0..<Int32(1_024)).lazy.map { Socket(descriptor: FileDescriptor($0)) }
        .first { isWanted(SocketPorts($0)) }
}
