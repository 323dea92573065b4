import DivanMesh
import DivanTransport

/// The connection of a link: carries the messages of the replication and, between them, those of the mesh.
///
/// A binary WebSocket message that begins with the byte 0 is gossip: BLIP numbers its messages from 1, so none of its
/// frames begins so. The replication starts only when the mesh has accepted the connection; a called peer sends nothing
/// of its own until then.
///
/// `@unchecked Sendable` is correct because all stored state that changes is touched only on `loop`; `start`, `close`
/// and the members that the mesh calls switch to it.
final class LinkTransport: MessageTransport, MessageReceiver, @unchecked Sendable {
    /// What the mesh wants to know; called on `loop`.
    struct Observer: Sendable {
        var onOpen: @Sendable (TransportPeer) -> Void = { _ in }
        var onGossip: @Sendable ([UInt8]) -> Void
        var onClose: @Sendable (TransportClose) -> Void
    }

    private static let gossipMark: UInt8 = 0

    let loop: any EventLoop
    private let raw: any MessageTransport
    private let observer: Observer
    private var receiver: (any MessageReceiver)?
    private var peer: TransportPeer?
    private var close: TransportClose?
    private var end: LinkEnd?

    init(_ raw: any MessageTransport, _ observer: Observer) {
        self.raw = raw
        self.observer = observer
        loop = raw.loop
    }

    // MARK: For the mesh

    /// Connects, without a replication yet.
    func open() { raw.start(self) }

    /// Sends a message of the mesh.
    func sendGossip(_ bytes: [UInt8]) {
        onLoop { self.raw.send([Self.gossipMark] + bytes) }
    }

    /// Determines the code with which the connection will be closed.
    func willEnd(_ end: LinkEnd) {
        onLoop { self.end = self.end ?? end }
    }

    /// Closes the connection without waiting for the replication.
    func abort(_ end: LinkEnd) {
        onLoop {
            self.end = self.end ?? end
            self.raw.close(code: end.rawValue, reason: "")
        }
    }

    private func onLoop(_ work: @escaping @Sendable () -> Void) {
        if loop.isCurrent { work() } else { loop.execute(work) }
    }

    // MARK: For the replication

    func start(_ receiver: any MessageReceiver) {
        loop.execute {
            self.receiver = receiver
            if let peer = self.peer {
                receiver.transportDidOpen(peer)
                if let close = self.close { self.report(close) }
            } else if let close = self.close {
                self.report(close)
            } else {
                self.raw.start(self)
            }
        }
    }

    func send(_ message: Span<UInt8>) { raw.send(message) }

    var isWritable: Bool { raw.isWritable }

    func close(code: UInt16, reason: String) {
        onLoop {
            self.raw.close(
                code: self.end?.rawValue ?? code,
                reason: self.end == nil ? reason : ""
            )
        }
    }

    // MARK: From the connection

    func transportDidOpen(_ peer: TransportPeer) {
        self.peer = peer
        observer.onOpen(peer)
        receiver?.transportDidOpen(peer)
    }

    func transportDidReceive(_ message: ArraySlice<UInt8>) {
        if message.first == Self.gossipMark {
            observer.onGossip(Array(message.dropFirst()))
        } else if let receiver {
            receiver.transportDidReceive(message)
        } else {
            // A called peer answers only; this one has asked for nothing yet.
            abort(.offence)
        }
    }

    func transportDidDrainInput() { receiver?.transportDidDrainInput() }

    func transportDidBecomeWritable() { receiver?.transportDidBecomeWritable() }

    func transportDidClose(_ close: TransportClose) {
        self.close = close
        observer.onClose(close)
        if receiver != nil { report(close) }
    }

    private func report(_ close: TransportClose) {
        let receiver = receiver
        self.receiver = nil
        receiver?.transportDidClose(close)
    }
}
