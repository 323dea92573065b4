import DivanPlatform
import Testing

/// Addresses, sockets and what watches them.
@Suite struct SocketTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1:80", true), ("10.1.2.3", "10.1.2.3:80", false),
        ("::1", "[::1]:80", true), ("::ffff:127.0.0.1", "127.0.0.1:80", true),
        ("2001:db8::1", "[2001:db8::1]:80", false),
    ])
    func `an address is parsed and written`(
        text: String,
        written: String,
        isLoopback: Bool
    ) throws {
        let address = try #require(SocketAddress(host: text, port: 80))
        #expect("\(address)" == written && address.isLoopback == isLoopback)
        #expect(address.withPort(81).port == 81 && address.withPort(81).host == address.host)
        #expect(IPAddress.text(address.addressBytes) == address.host)
    }

    @Test func `a host name is not parsed as an address, and an unknown host is an error`() {
        #expect(SocketAddress(host: "localhost", port: 1) == nil)
        #expect(IPAddress.bytes("localhost") == nil && IPAddress.text([1, 2, 3]) == nil)
        #expect(IPAddress.bytes("1.2.3.4") == [1, 2, 3, 4] && IPAddress.bytes("::1")?.count == 16)
        do {
            _ = try SocketAddress.resolve("nowhere", port: 1, options: .numericHost)
            Issue.record("a name was taken for an address")
        } catch {
            #expect(error.isUnknownHost && !error.text.isEmpty)
        }
    }

    @Test func `the interfaces of this machine include the loopback interface`() {
        let all = NetworkInterface.all()
        #expect(all.contains { $0.address.isLoopback && $0.isUp })
        #expect(all.allSatisfy { !$0.name.isEmpty && $0.address.numericHost != nil })
    }

    @Test func `a connection transfers bytes in both directions`() throws {
        let (listening, port) = try listen()
        defer { listening.close() }
        #expect(listening.localAddress()?.port == port)
        let client = try #require(try connect(to: port))
        defer { client.close() }
        let server = try listening.acceptBlocking()
        #expect(client.sendAll([1, 2, 3]))
        #expect(server.peek() == 1 && server.hasUnreadBytes)
        #expect(server.receive(upTo: 10) == [1, 2, 3])
        #expect(server.remoteAddress()?.port == client.localAddress()?.port)
        client.shutdownSending()
        #expect(server.receive(upTo: 10).isEmpty)
        server.resetAtClose()
        server.close()
        var byte: UInt8 = 0
        let transfer = withUnsafeMutableBytes(of: &byte) { client.receive(into: $0) }
        #expect(transfer == .failed(SystemError("recv", .connectionReset)))
    }

    @Test func `a nonblocking socket reports that a call would block`() throws {
        let (listening, port) = try listen()
        defer { listening.close() }
        listening.descriptor.setNonBlocking()
        #expect(try listening.accept() == nil)
        let client = try Socket(family: .ipv4)
        defer { client.close() }
        _ = try client.connect(to: address(port))
        try client.descriptor.wait(for: .writing)
        try client.checkConnected()
        let (server, peer) = try #require(try listening.accept())
        defer { server.close() }
        #expect(peer == client.localAddress())
        var byte: UInt8 = 0
        #expect(withUnsafeMutableBytes(of: &byte) { server.receive(into: $0) } == .wouldBlock)
        try server.setOption(.noDelay, 1)
        #expect(server.option(.noDelay) == 1)
    }

    @Test func `connecting to a port without a listener is refused`() throws {
        let (listening, port) = try listen()
        listening.close()
        #expect(try connect(to: port) == nil)
        let client = try Socket(family: .ipv4)
        defer { client.close() }
        #expect(throws: SystemError("connect", .connectionRefused)) {
            if try !client.connect(to: address(port)) {
                try client.descriptor.wait(for: .writing)
                try client.checkConnected()
            }
        }
    }

    @Test func `errors of one connection do not end a listener`() {
        #expect(Socket.concernsOneConnection(.connectionAbort))
        #expect(Socket.concernsOneConnection(.noNetwork))
        #expect(!Socket.concernsOneConnection(.tooManyOpenFiles))
    }

    @Test func `a poller reports each ready descriptor with its mark`() throws {
        var poller = try EventPoller()
        let (one, other) = try Socket.pair()
        defer { one.close() }
        poller.add(one.descriptor, .reading, mark: 7)
        #expect(poller.wait(milliseconds: 0).isEmpty)
        other.sendAll([1])
        let events = poller.wait(milliseconds: -1)
        #expect(events.map(\.mark) == [7])
        #expect(events.allSatisfy { $0.isReadable && !$0.isWritable })
        poller.change(one.descriptor, .writing, mark: 8)
        #expect(poller.wait(milliseconds: -1).map(\.isWritable) == [true])
        poller.remove(one.descriptor)
        other.close()
        #expect(poller.wait(milliseconds: 0).isEmpty)
    }

    @Test func `a wakeup is readable until it is cleared`() throws {
        let wakeup = try Wakeup()
        defer { wakeup.descriptor.close() }
        #expect(try wakeup.descriptor.wait(for: .reading, milliseconds: 0).isEmpty)
        wakeup.signal()
        wakeup.signal()
        #expect(try wakeup.descriptor.wait(for: .reading, milliseconds: -1) == .reading)
        wakeup.clear()
        #expect(try wakeup.descriptor.wait(for: .reading, milliseconds: 0).isEmpty)
    }

    @Test func `waiting for several descriptors marks the ready ones`() throws {
        let (reading, writing) = try FileDescriptor.pipe()
        defer { reading.close() }
        var polled = [
            PolledDescriptor(.none, .reading), PolledDescriptor(reading, .reading),
            PolledDescriptor(writing, .writing),
        ]
        #expect(try PolledDescriptor.wait(&polled, milliseconds: -1) == 1)
        #expect(polled.map(\.received) == [[], [], .writing])
        writing.close()
        var rest = [PolledDescriptor(reading, [])]
        #expect(try PolledDescriptor.wait(&rest, milliseconds: -1) == 1)
        #expect(!rest[0].received.isDisjoint(with: .closed))
    }
}

/// Listens on a port of 127.0.0.1 that the system chooses.
private func listen() throws -> (socket: Socket, port: UInt16) {
    let socket = try Socket(family: .ipv4, isBlocking: true)
    try socket.bind(to: address(0))
    try socket.listen(backlog: 16)
    return (socket, try #require(socket.localAddress()?.port))
}

/// Connects to a port of 127.0.0.1; `nil` if nothing listens on it.
private func connect(to port: UInt16) throws -> Socket? {
    let socket = try Socket(family: .ipv4, isBlocking: true)
    do {
        try socket.connectBlocking(to: address(port))
        return socket
    } catch {
        socket.close()
        return nil
    }
}

/// A port of 127.0.0.1.
private func address(_ port: UInt16) throws -> SocketAddress {
    try #require(SocketAddress(host: "127.0.0.1", port: port))
}
