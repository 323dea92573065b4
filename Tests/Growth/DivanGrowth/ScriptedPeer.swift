import DivanBLIP
import DivanDatabase
import DivanReplicator
import DivanZlib

/// A peer that sends whatever a shape wants, connected to a Divan peer.
struct ScriptedPeer {
    let peer: any SyncPeer
    let store: Store
    private(set) var requests: [BLIPIncomingRequest] = []
    private(set) var replyCount = 0
    private var blip = BLIPConnection(codec: DeflateCodec())
    /// Whether our requests are kept; each is one more copy otherwise.
    var keepsRequests = true

    /// Reads no replies: what is sent to it stays where it is.
    var isDeaf = false

    private init(_ role: PeerConfiguration.Role, _ store: Store) {
        var configuration = PeerConfiguration(
            role: role,
            codec: DeflateCodec(),
            secondsSince1970: { 1_700_000_000 }
        )
        configuration.compresses = false
        configuration.usesDeltas = true
        self.store = store
        peer = configuration.makePeer(store: store)
        peer.connected(subprotocol: Subprotocol.version3.rawValue, at: .zero)
        exchange()
    }

    /// A client of one of our passive peers, for the default collection.
    static func client(
        of store: Store = .inMemory(),
        bindsBlobs: Bool = false
    ) -> ScriptedPeer {
        var options = PeerConfiguration.PassiveOptions(collections: [.default])
        options.bindsBlobs = bindsBlobs
        var client = ScriptedPeer(.passive(options), store)
        client.ask(
            ["Profile": "getCollections"],
            #"{"checkpoint_ids":["c"],"collections":["_default"]}"#
        )
        return client
    }

    /// A server to which one of our active peers has connected.
    static func server(
        of store: Store = .inMemory(),
        pushes: Bool,
        checkpoints: String = "[{}]"
    ) throws -> ScriptedPeer {
        let options = PeerConfiguration.ActiveOptions(
            pushes: pushes,
            pulls: !pushes,
            isContinuous: true,
            collections: [.init(.default)],
            remoteIdentity: "ws://there/db/_blipsync"
        )
        var server = ScriptedPeer(.active(options), store)
        try server.answer("getCollections", checkpoints)
        if !pushes { try server.answer("subChanges", "") }
        return server
    }

    /// Sends a request.
    mutating func ask(_ properties: BLIPProperties, _ body: String = "") {
        send(properties, Array(body.utf8))
        exchange()
    }

    /// Sends a request with the next output of `exchange`.
    mutating func send(_ properties: BLIPProperties, _ body: [UInt8] = [], isUrgent: Bool = false) {
        var request = BLIPRequest(properties: properties, body: .bytes(body))
        request.isUrgent = isUrgent
        blip.send(request)
    }

    /// Answers the oldest request with this profile.
    mutating func answer(_ profile: String, _ body: String) throws {
        guard let place = requests.firstIndex(where: { $0.profile == profile }) else {
            throw Unexpected(what: "our peer did not ask \(profile)")
        }
        let request = requests.remove(at: place)
        blip.reply(to: request.id, with: BLIPReply(body: .bytes(Array(body.utf8))))
        exchange()
    }

    /// Answers every waiting request.
    mutating func answerAll(_ reply: (BLIPIncomingRequest) -> BLIPReply) {
        while !requests.isEmpty {
            let waiting = requests
            requests = []
            for request in waiting { blip.reply(to: request.id, with: reply(request)) }
            exchange()
        }
    }

    /// Transfers frames both ways until neither side has any, without advancing time.
    mutating func exchange() {
        var isQuiet = false
        while !isQuiet {
            isQuiet = true
            var frame: [UInt8] = []
            while blip.nextFrame(into: &frame) {
                peer.receive(frame.span, at: .zero)
                frame.removeAll(keepingCapacity: true)
                isQuiet = false
            }
            peer.inputDrained(at: .zero)
            while peer.next() != nil {}
            while !isDeaf, peer.nextFrame(into: &frame) {
                _ = try? blip.receive(frame.span)
                frame.removeAll(keepingCapacity: true)
                isQuiet = false
            }
            take()
        }
    }

    /// Gives our peer its turns until it waits for others.
    mutating func settle() {
        exchange()
        while peer.deadline == .zero {
            peer.advance(to: .zero)
            exchange()
        }
    }

    private mutating func take() {
        while let event = blip.next() {
            switch event {
            case .request(let request): if keepsRequests { requests.append(request) }
            case .reply: replyCount += 1
            case .replyPiece, .bodyFailed: break
            }
        }
    }
}

/// Our peer did something that is not part of the shape.
struct Unexpected: Error {
    let what: String
}
