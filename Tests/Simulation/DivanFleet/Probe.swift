import DivanBLIP
import DivanCompression
import DivanJSON
import DivanRevisions
import DivanTransport

/// Taps the wire of one connection: reads what both sides send, and damages some of it.
///
/// The active side's transport. `@unchecked Sendable` holds because a simulation has one thread.
final class Probe: MessageTransport, MessageReceiver, @unchecked Sendable {
    private let wire: any MessageTransport
    private unowned let world: World
    private let names: (active: String, passive: String)
    private var receiver: (any MessageReceiver)?
    private var outgoing: DirectionReader
    private var incoming: DirectionReader
    /// The revision of each document that was last received from the peer, which therefore has it.
    ///
    /// Unless the peer has received another one since: then a node may want the old one back.
    private var received: [Document: String] = [:]
    /// The revision of each document that was last pushed, perhaps while another was in flight to this side.
    private var pushed: [Document: String] = [:]

    private struct Document: Hashable {
        var collection: String
        var documentID: DocumentID

        init(collection: String, documentID: DocumentID) {
            self.collection = collection
            self.documentID = documentID
        }

        init(_ request: BLIPIncomingRequest, _ documentID: String? = nil) {
            collection = request.properties["collection"] ?? ""
            self.documentID = DocumentID(
                unchecked: documentID ?? request.properties["id"] ?? ""
            )
        }
    }

    init(_ wire: any MessageTransport, world: World, names: (String, String)) {
        self.wire = wire
        self.world = world
        self.names = names
        outgoing = DirectionReader(codec: world.codec)
        incoming = DirectionReader(codec: world.codec)
    }

    var loop: any EventLoop { wire.loop }
    var isWritable: Bool { wire.isWritable }

    func start(_ receiver: any MessageReceiver) {
        self.receiver = receiver
        wire.start(self)
    }

    func close(code: UInt16, reason: String) { wire.close(code: code, reason: reason) }

    func send(_ message: Span<UInt8>) {
        var frame = message.withUnsafeBufferPointer { Array($0) }
        for request in outgoing.hear(frame, otherSide: &incoming) { sent(request) }
        world.damage(&frame)
        wire.send(frame)
    }

    // MARK: Traffic

    func transportDidOpen(_ peer: TransportPeer) { receiver?.transportDidOpen(peer) }

    func transportDidReceive(_ message: ArraySlice<UInt8>) {
        var frame = Array(message)
        for request in incoming.hear(frame, otherSide: &outgoing) { arrived(request) }
        world.damage(&frame)
        receiver?.transportDidReceive(frame[...])
    }

    func transportDidDrainInput() { receiver?.transportDidDrainInput() }
    func transportDidBecomeWritable() { receiver?.transportDidBecomeWritable() }

    func transportDidClose(_ close: TransportClose) {
        let receiver = receiver
        self.receiver = nil
        receiver?.transportDidClose(close)
    }

    // MARK: Interpretation

    private func sent(_ request: BLIPIncomingRequest) {
        switch request.profile {
        case "rev":
            note(request, "→")
            world.countRevision(request, isPush: true)
            received[Document(request)] = nil
            pushed[Document(request)] = request.properties["rev"]
        case "proposeChanges": lookForEchoes(request)
        default: break
        }
    }

    private func arrived(_ request: BLIPIncomingRequest) {
        if request.profile == "changes" { noteNews(request) }
        guard request.profile == "rev" else { return }
        note(request, "←")
        world.countRevision(request, isPush: false)
        received[Document(request)] = request.properties["rev"]
    }

    /// The peer has other revisions now, which may already be here.
    private func noteNews(_ request: BLIPIncomingRequest) {
        let entries = (try? JSON(parsing: request.body.span))?.array ?? []
        for items in entries.lazy.compactMap(\.array) where items.count > 2 {
            guard let id = items[1].string, let revision = items[2].string else { continue }
            let document = Document(request, id)
            if received[document] != revision { received[document] = nil }
        }
    }

    /// What was received could not be stored.
    func forget(_ documentID: DocumentID, inCollection number: Int) {
        received[Document(collection: String(number), documentID: documentID)] = nil
    }

    private func note(_ request: BLIPIncomingRequest, _ arrow: String) {
        let closed = request.properties["deleted_branch"].map { " closing \($0)" } ?? ""
        world.note(
            "\(names.active) \(arrow) \(names.passive) \(request.properties["id"] ?? "") "
                + "\(short(request.properties["rev"]))\(closed)"
        )
    }

    private func short(_ name: String?) -> String {
        name.map { RevisionID(ofAnyScheme: $0)?.short ?? String($0.prefix(7)) } ?? ""
    }

    /// In a topology with circles, a revision may arrive a second time from another node, before
    /// it can be stored from here.
    private func lookForEchoes(_ request: BLIPIncomingRequest) {
        guard !world.scenario.topology.hasCycles, world.restoredNodes.isEmpty,
            let entries = (try? JSON(parsing: request.body.span))?.array
        else { return }
        for entry in entries {
            guard let items = entry.array, items.count > 1, let id = items[0].string,
                let revision = items[1].string
            else { continue }
            let document = Document(request, id)
            guard received[document] == revision else { continue }
            if items.count > 2, items[2].string == pushed[document] { continue }
            world.recordViolation(
                .echoed,
                "\(names.active) proposed \(id) \(short(revision)) to \(names.passive), which had "
                    + "sent it"
            )
        }
    }
}

/// Reads one direction of a connection as the receiver does.
struct DirectionReader {
    private var connection: BLIPConnection
    private var isDeaf = false

    /// Reads what the codec compressed.
    init(codec: any CompressionCodec) {
        connection = BLIPConnection(codec: codec)
    }

    /// The requests that a frame completes.
    ///
    /// Replies in the other direction refer to their number, so that is recorded there.
    mutating func hear(_ frame: [UInt8], otherSide: inout DirectionReader) -> [BLIPIncomingRequest]
    {
        guard !isDeaf else { return [] }
        do {
            try connection.receive(frame.span)
        } catch {
            isDeaf = true
            return []
        }
        var requests: [BLIPIncomingRequest] = []
        while let event = connection.next() {
            guard case .request(let request) = event else { continue }
            requests.append(request)
            otherSide.expectReplies()
            connection.reply(to: request.id, with: .empty)
        }
        drain()
        return requests
    }

    private mutating func expectReplies() {
        connection.send(BLIPRequest(profile: "", isNoReply: true))
        drain()
    }

    /// An ear sends nothing.
    private mutating func drain() {
        var unsaid: [UInt8] = []
        while connection.nextFrame(into: &unsaid) { unsaid.removeAll(keepingCapacity: true) }
    }
}
