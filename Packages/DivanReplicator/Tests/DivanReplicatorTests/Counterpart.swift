import DivanBLIP
import DivanReplicator
import DivanStore
import DivanZlib
import Testing

/// A hand-made peer at the other end: says what a test wants, and remembers what it received.
struct Counterpart {
    let peer: any SyncPeer
    private(set) var requests: [BLIPIncomingRequest] = []
    private(set) var events: [DocumentEvent] = []
    /// Work that a driver would have run on another thread by now.
    var storing: [StoringWork] = []
    /// Transfers of other connections for which our peer waits.
    private(set) var awaited: [AwaitedTransfer] = []
    private(set) var blobEvents: [BlobEvent] = []
    private(set) var closeCode: UInt16?
    private(set) var error: SyncError?
    private var blip = BLIPConnection(codec: DeflateCodec())
    private var replies: [BLIPRequestNumber: BLIPIncomingReply] = [:]
    var now: Duration = .zero

    /// Connects to one of our peers immediately.
    init(_ configuration: PeerConfiguration, _ site: Site, version: Subprotocol = .version3) {
        peer = configuration.makePeer(store: site.store)
        peer.connected(subprotocol: version.rawValue, at: .zero)
        exchange()
    }

    /// Sends a request and returns the answer, or `nil` if there is none.
    @discardableResult
    mutating func ask(
        _ profile: String,
        _ properties: BLIPProperties = [:],
        _ body: String = "",
        isNoReply: Bool = false
    ) -> BLIPIncomingReply? {
        let request = BLIPRequest(
            profile: profile,
            properties: properties,
            body: .bytes(Array(body.utf8)),
            isNoReply: isNoReply
        )
        let number = blip.send(request)
        exchange()
        return number.flatMap { replies[$0] }
    }

    /// Takes the oldest unanswered request with this profile.
    mutating func take(_ profile: String) throws -> BLIPIncomingRequest {
        let place = try #require(requests.firstIndex { $0.profile == profile }, "no \(profile)")
        return requests.remove(at: place)
    }

    /// Answers the oldest unanswered request with this profile; returns the request.
    @discardableResult
    mutating func answer(
        _ profile: String,
        _ body: String = "",
        _ properties: BLIPProperties = [:]
    ) throws -> BLIPIncomingRequest {
        let request = try take(profile)
        let reply = BLIPReply(properties: properties, body: .bytes(Array(body.utf8)))
        blip.reply(to: request.id, with: reply)
        exchange()
        return request
    }

    /// Returns the oldest unanswered request with this profile, without removing it.
    func next(_ profile: String) throws -> BLIPIncomingRequest {
        try #require(requests.first { $0.profile == profile }, "no \(profile)")
    }

    /// Answers with content that may be binary.
    mutating func answer(_ profile: String, bytes: [UInt8]) throws {
        blip.reply(to: try take(profile).id, with: BLIPReply(body: .bytes(bytes)))
        exchange()
    }

    /// Sends any request; its answer is looked up later.
    mutating func send(
        _ properties: BLIPProperties,
        _ body: [UInt8],
        isNoReply: Bool,
        isCompressed: Bool
    ) -> BLIPRequestNumber? {
        var request = BLIPRequest(properties: properties, body: .bytes(body))
        request.isNoReply = isNoReply
        request.isCompressed = isCompressed
        let number = blip.send(request)
        exchange()
        return number
    }

    func reply(to number: BLIPRequestNumber) -> BLIPIncomingReply? { replies[number] }

    /// Takes the oldest request with this profile for which `condition` holds.
    mutating func take(
        _ profile: String,
        where condition: (BLIPIncomingRequest) -> Bool
    ) throws -> BLIPIncomingRequest {
        let place = try #require(
            requests.firstIndex { $0.profile == profile && condition($0) },
            "no \(profile)"
        )
        return requests.remove(at: place)
    }

    mutating func remove(at place: Int) -> BLIPIncomingRequest { requests.remove(at: place) }

    mutating func answer(
        _ request: BLIPIncomingRequest,
        bytes: [UInt8],
        _ properties: BLIPProperties = [:]
    ) {
        blip.reply(to: request.id, with: BLIPReply(properties: properties, body: .bytes(bytes)))
        exchange()
    }

    mutating func refuse(_ request: BLIPIncomingRequest, _ domain: String, _ code: Int) {
        blip.reply(to: request.id, with: .error(domain: domain, code: code, message: "no"))
        exchange()
    }

    /// Answers a request and leaves it in the list.
    mutating func acknowledge(_ request: BLIPIncomingRequest) {
        blip.reply(to: request.id, with: .empty)
        exchange()
    }

    @discardableResult
    mutating func refuse(
        _ profile: String,
        _ domain: String,
        _ code: Int,
        saying message: String = "no"
    ) throws -> BLIPIncomingRequest {
        let request = try take(profile)
        blip.reply(to: request.id, with: .error(domain: domain, code: code, message: message))
        exchange()
        return request
    }

    /// Passes bytes that are not BLIP to our peer.
    mutating func send(raw frame: [UInt8]) {
        peer.receive(frame.span, at: now)
        peer.inputDrained(at: now)
        exchange()
    }

    /// Lets our peer continue at a time.
    mutating func advance(to time: Duration) {
        now = time
        peer.advance(to: time)
        exchange()
    }

    mutating func exchange() {
        var isQuiet = false
        while !isQuiet {
            isQuiet = true
            var frame: [UInt8] = []
            while blip.nextFrame(into: &frame) {
                peer.receive(frame.span, at: now)
                frame = []
                isQuiet = false
            }
            if !isQuiet { peer.inputDrained(at: now) }
            drainEffects()
            while peer.nextFrame(into: &frame) {
                _ = try? blip.receive(frame.span)
                frame = []
                isQuiet = false
            }
            while let event = blip.next() {
                switch event {
                case .request(let request): requests.append(request)
                case .reply(let number, let reply): replies[number] = reply
                case .replyPiece, .bodyFailed: break
                }
            }
        }
    }

    private mutating func drainEffects() {
        while let effect = peer.next() {
            switch effect {
            case .close(let code, let error):
                closeCode = code.number
                self.error = error
            case .documents(let documents): events += documents
            case .store(let work): storing.append(work)
            case .blob(let event): blobEvents.append(event)
            case .transfer(let transfer): awaited.append(transfer)
            case .status, .resolve: break
            }
        }
    }
}

extension Counterpart {
    /// A server to which our active peer has just connected, without any checkpoint.
    static func server(
        _ site: Site,
        _ options: Conversation.Options = .init(),
        version: Subprotocol = .version3
    ) throws -> Counterpart {
        var server = Counterpart(options.active, site, version: version)
        let states = options.collections.map { _ in "{}" }.joined(separator: ",")
        try server.answer("getCollections", "[\(states)]")
        return server
    }

    /// A client of our passive peer, for the default collection.
    static func client(_ site: Site, _ options: Conversation.Options = .init()) -> Counterpart {
        var client = Counterpart(options.passive, site)
        client.askForDefault()
        return client
    }

    /// The same for a passive peer with other rights or limits.
    static func client(
        _ site: Site,
        version: Subprotocol = .version3,
        limits change: (inout ReplicatorLimits) -> Void = { _ in },
        passive choose: (inout PeerConfiguration.PassiveOptions) -> Void
    ) -> Counterpart {
        var options = PeerConfiguration.PassiveOptions(collections: [.default])
        choose(&options)
        var configuration = Conversation.Options().passive
        configuration.role = .passive(options)
        change(&configuration.limits)
        var client = Counterpart(configuration, site, version: version)
        client.askForDefault()
        return client
    }

    private mutating func askForDefault() {
        let names = #"{"checkpoint_ids":["cp-1"],"collections":["_default"]}"#
        ask("getCollections", [:], names)
    }
}

extension BLIPProperties {
    /// The same with one property added.
    func adding(_ name: String, _ value: String) -> BLIPProperties {
        var properties = self
        properties.append(name, value)
        return properties
    }
}
