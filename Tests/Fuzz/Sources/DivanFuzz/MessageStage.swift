import DivanBLIP
import DivanDatabase
import DivanReplicator
import DivanRevisions
import DivanZlib

/// Reads an input as the other peer's requests and replies, and sends them to one of our peers.
///
/// `order · [name SOH value SOH]… NUL · body · 0xFF`. A reply goes to the oldest unanswered request
/// of our peer.
struct MessageStage {
    private enum Order {
        static let replies: UInt8 = 1
        static let refuses: UInt8 = 2
        static let asksNothing: UInt8 = 4
        static let compresses: UInt8 = 8
        static let waits: UInt8 = 16
    }

    private static let separator: UInt8 = 1
    private static let messageEnd: UInt8 = 0xFF

    private let store = Store.inMemory()
    private let peer: any SyncPeer
    private var blip = BLIPConnection(codec: DeflateCodec())
    private var asked: [BLIPRequestID] = []
    private var open: Set<BLIPRequestNumber> = []
    private var closeCode: UInt16?
    private var flaw: String?
    private var now: Duration = .zero

    init(_ role: PeerConfiguration.Role) {
        var configuration = PeerConfiguration(
            role: role,
            codec: DeflateCodec(),
            secondsSince1970: { 1_700_000_000 }
        )
        configuration.usesDeltas = true
        configuration.random = FixedRandom()
        peer = configuration.makePeer(store: store)
        for name in ["a", "b"] {
            _ = try? store.write { writer in
                try writer.save(
                    DocumentID(unchecked: name),
                    in: .default,
                    body: Array(#"{"n":1}"#.utf8)
                )
            }
        }
        peer.connected(subprotocol: Subprotocol.version3.rawValue, at: .zero)
        exchange()
    }

    mutating func play(_ input: [UInt8]) -> String? {
        var reader = InputReader(input)
        while !reader.isAtEnd, closeCode == nil, flaw == nil {
            let order = reader.byte()
            var message = InputReader(reader.bytes(until: Self.messageEnd))
            let properties = properties(message.bytes(until: 0))
            let body = BLIPBody.bytes(message.remainder())
            if order & Order.replies != 0 {
                reply(order, properties, body)
            } else {
                ask(order, properties, body)
            }
            if order & Order.waits != 0 {
                now += .seconds(60)
                peer.advance(to: now)
            }
            exchange()
        }
        peer.disconnected(at: now)
        return flaw ?? unsound()
    }

    private func properties(_ bytes: [UInt8]) -> BLIPProperties {
        let parts = bytes.split(separator: Self.separator, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        var properties = BLIPProperties()
        for index in stride(from: 0, to: parts.count - 1, by: 2) {
            properties.append(parts[index], parts[index + 1])
        }
        return properties
    }

    private mutating func reply(_ order: UInt8, _ properties: BLIPProperties, _ body: BLIPBody) {
        guard !asked.isEmpty else { return }
        var reply = BLIPReply(
            properties: properties,
            body: body,
            isCompressed: order & Order.compresses != 0
        )
        reply.isError = order & Order.refuses != 0
        blip.reply(to: asked.removeFirst(), with: reply)
    }

    private mutating func ask(_ order: UInt8, _ properties: BLIPProperties, _ body: BLIPBody) {
        let number = blip.send(
            BLIPRequest(
                properties: properties,
                body: body,
                isNoReply: order & Order.asksNothing != 0,
                isCompressed: order & Order.compresses != 0
            )
        )
        if let number { open.insert(number) }
    }

    private mutating func exchange() {
        var isQuiet = false
        var roundCount = 0
        while !isQuiet {
            isQuiet = true
            roundCount += 1
            if roundCount > 1_000 {
                flaw = "two peers do not come to rest"
                return
            }
            var frame: [UInt8] = []
            while blip.nextFrame(into: &frame) {
                peer.receive(frame.span, at: now)
                frame = []
                isQuiet = false
            }
            if !isQuiet { peer.inputDrained(at: now) }
            takeEffects()
            while peer.nextFrame(into: &frame) {
                hear(frame)
                frame = []
                isQuiet = false
            }
        }
    }

    private mutating func takeEffects() {
        while let effect = peer.next() {
            if case .close(let code, _) = effect { closeCode = code.number }
        }
    }

    private mutating func hear(_ frame: [UInt8]) {
        do {
            try blip.receive(frame.span)
        } catch {
            flaw = "our peer breaks the message rules: \(error)"
        }
        while let event = blip.next() {
            switch event {
            case .request(let request):
                if !request.isNoReply { asked.append(request.id) }
            case .reply(let number, _):
                if open.remove(number) == nil { flaw = "\(number) is answered twice" }
            case .replyPiece, .bodyFailed: break
            }
        }
    }

    /// What is stored must be sound, whatever was sent.
    private func unsound() -> String? {
        do {
            try store.checkIntegrity()
            for document in try store.read({ try $0.documents(in: .default, after: 0, limit: 99) })
            {
                let tree = try store.read { try $0.tree(of: document.documentID, in: .default) }
                guard tree?.current?.id == document.revisionID else {
                    return "\(document.documentID): the row and its tree differ"
                }
            }
            return nil
        } catch {
            return "storage: \(error)"
        }
    }

    // MARK: Seeds

    static func request(
        _ profile: String,
        _ properties: [String: String],
        _ body: String
    ) -> [UInt8] {
        let pairs = [("Profile", profile)] + properties.sorted { $0.key < $1.key }
        let head = pairs.flatMap { name, value in
            Array(name.utf8) + [separator] + Array(value.utf8) + [separator]
        }
        return [0] + head + [0] + Array(body.utf8) + [messageEnd]
    }

    static func reply(_ body: String) -> [UInt8] {
        [Order.replies, 0] + Array(body.utf8) + [messageEnd]
    }

    static func refusal(_ code: String) -> [UInt8] {
        let head = ["Error-Domain", "HTTP", "Error-Code", code].flatMap {
            Array($0.utf8) + [separator]
        }
        return [Order.replies | Order.refuses] + head + [0, messageEnd]
    }
}
