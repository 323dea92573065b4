import DivanBLIP
import DivanPlatform
import DivanTLS
import DivanTestKit
import DivanTransport
import DivanZlib
import Foundation

/// Hostile clients, of six kinds in turn, at a rate that leaves the machine to the others.
///
/// It prints how many there are, and answers `deeds` with the number of their actions so far.
final class HostileRole {
    private let hostiles: [any Hostile]

    /// Takes the words `TLS-PORT COUNT DATABASE`.
    init(_ words: [String]) throws {
        guard words.count == 3, let port = UInt16(words[0]), let count = Int(words[1]) else {
            throw BenchFailure("hostile clients need a TLS port, a number and a database")
        }
        let context = try TLSContext.client(
            ClientTLSConfiguration(serverTrust: .callback { _ in true })
        )
        let connect = { (database: String) in
            BenchClient.transport(
                to: port,
                context: context,
                database: database,
                password: ListenerRole.credentials.password
            )
        }
        let database = words[2]
        hostiles = (0..<count).map { number -> any Hostile in
            switch number % 6 {
            case 0: RawHostile(port, piece: Array("GET / HTTP/1.1\r\n\r\n".utf8), pieces: 1)
            case 1: RawHostile(port, piece: [0x16], pieces: .max)
            case 2: HostileClient(.searching) { connect("nowhere") }
            case 3: HostileClient(.talkingNoise) { connect(database) }
            case 4: HostileClient(.neverReading) { connect(database) }
            default: HostileClient(.flooding) { connect(database) }
            }
        }
    }

    func run() throws {
        let loop = EventLoopGroup.shared.next()
        for hostile in hostiles { Self.act(hostile, on: loop) }
        say("\(hostiles.count)")
        ProcessRole.answer { _ in Double(hostiles.reduce(0) { $0 + $1.deedCount }) }
    }

    private static func act(_ hostile: any Hostile, on loop: any EventLoop) {
        hostile.act()
        loop.schedule(at: loop.now + .milliseconds(50)) { act(hostile, on: loop) }
    }
}

/// A client that does something each time that it is asked to; always on the same loop.
private protocol Hostile: AnyObject, Sendable {
    var deedCount: Int { get }
    func act()
}

/// Opens a bare socket and sends pieces of an invalid handshake.
///
/// `@unchecked Sendable`: runs on one loop; the count is read only for a report.
private final class RawHostile: Hostile, @unchecked Sendable {
    private(set) var deedCount = 0
    private let port: UInt16
    private let piece: [UInt8]
    private let pieces: Int
    private var socket: Socket?
    private var sentCount = 0

    init(_ port: UInt16, piece: [UInt8], pieces: Int) {
        self.port = port
        self.piece = piece
        self.pieces = pieces
    }

    func act() {
        deedCount += 1
        if socket == nil || sentCount >= pieces { reconnect() }
        sentCount += 1
        if socket?.sendAll(piece) != true { reconnect() }
    }

    private func reconnect() {
        socket?.close()
        sentCount = 0
        socket = Loopback.connect(to: port)
    }
}

/// Connects, or tries to, and misbehaves; reconnects when it was disconnected.
///
/// `@unchecked Sendable`: everything happens on the transports' loops, one transport at a time; the
/// count is read only for a report.
private final class HostileClient: Hostile, MessageReceiver, @unchecked Sendable {
    enum Kind {
        case searching
        case talkingNoise
        case neverReading
        case flooding
    }

    private(set) var deedCount = 0
    private let kind: Kind
    private let connect: () -> WebSocketClientTransport
    private var transport: WebSocketClientTransport?
    private var isOpen = false
    private var connection = BLIPConnection(codec: DeflateCodec())

    init(_ kind: Kind, _ connect: @escaping () -> WebSocketClientTransport) {
        self.kind = kind
        self.connect = connect
    }

    func act() {
        guard let transport else {
            let transport = connect()
            self.transport = transport
            connection = BLIPConnection(codec: DeflateCodec())
            transport.start(self)
            return
        }
        transport.loop.execute { self.misbehave() }
    }

    private func misbehave() {
        guard isOpen, let transport else { return }
        deedCount += 1
        switch kind {
        case .searching: break
        case .talkingNoise: transport.send([0x07, 0x00, 0xFF, 0xFF, 0x01])
        case .neverReading: ask(["Profile": "subChanges"])
        case .flooding: for _ in 0..<50 { ask(["Profile": "nonsense"]) }
        }
    }

    private func ask(_ properties: BLIPProperties) {
        _ = connection.send(BLIPRequest(properties: properties))
        var frame: [UInt8] = []
        while connection.nextFrame(into: &frame) {
            transport?.send(frame)
            frame = []
        }
    }

    func transportDidOpen(_ peer: TransportPeer) {
        isOpen = true
        if kind == .neverReading { transport?.setReadingPaused(true) }
    }

    func transportDidReceive(_ message: ArraySlice<UInt8>) {
        _ = try? connection.receive(message.span)
        while connection.next() != nil {}
    }

    func transportDidDrainInput() {}
    func transportDidBecomeWritable() {}

    func transportDidClose(_ close: TransportClose) {
        deedCount += 1
        isOpen = false
        transport = nil
    }
}
