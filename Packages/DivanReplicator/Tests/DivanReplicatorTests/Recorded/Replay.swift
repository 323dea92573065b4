import DivanBLIP
import DivanJSON
import DivanReplicator
import DivanZlib
import Testing

/// Plays one side of a recorded conversation against one of our peers.
///
/// The recording is followed in order: messages of the played side are sent, those of the other side are looked for
/// among everything that our peer has sent so far, so the order of independent messages does not matter. Requests are
/// matched by profile and document.
struct Replay {
    let peer: any SyncPeer
    let playsServer: Bool
    let label: String
    /// Whether our peer must say the same as the recorded one; otherwise only essentials are compared.
    var isStrict = true
    /// The last checkpoint that our peer saved, in place of the recorded one.
    var checkpoint: [UInt8]?
    /// Blobs by digest, if the recording contains only their length.
    var contents: [String: [UInt8]] = [:]
    /// Our database, when it changes during the replay.
    var site: Site?
    /// The protocol version and codec of both sides.
    var subprotocol = Subprotocol.version3
    /// Whether differences are collected in `differences` instead of failing at once.
    var collects = false
    /// Differences between our peer and the recorded one, if collected.
    private(set) var differences: [String] = []
    /// Called before each message of the recording.
    var onMessage: (Transcript.Message) throws -> Void = { _ in }
    private(set) var events: [DocumentEvent] = []
    private(set) var closeCode: UInt16?
    private(set) var error: SyncError?
    /// Our peer's requests, matched or not, in order.
    private(set) var asked: [BLIPIncomingRequest] = []

    private var blip = BLIPConnection(codec: DeflateCodec())
    private var unmatched: [BLIPIncomingRequest] = []
    private var matched: [Int: BLIPRequestID] = [:]  // by the recorded number
    private var sent: [Int: BLIPRequestNumber] = [:]
    private var replies: [BLIPRequestNumber: BLIPIncomingReply] = [:]
    private var isLegacy = false
    private var failedAnswers: [String: Transcript.Message] = [:]

    init(_ peer: any SyncPeer, playsServer: Bool, label: String) {
        self.peer = peer
        self.playsServer = playsServer
        self.label = label
    }

    mutating func run(_ connection: Transcript.Connection) throws {
        isLegacy = !connection.messages.contains { $0.profile == "getCollections" }
        peer.connected(subprotocol: subprotocol.rawValue, at: .zero)
        exchange()
        for (index, message) in connection.messages.enumerated() {
            try onMessage(message)
            for change in site?.takeChanges() ?? [] { peer.storeChanged(change, at: .zero) }
            exchange()
            if message.isFromClient == playsServer {
                expect(message)
            } else {
                play(message, connection.messages[..<index])
            }
            exchange()
        }
        answerRest()
        peer.disconnected(at: .zero)
        drainEffects()
    }

    /// Our peer's requests with this profile.
    func requests(_ profile: String) -> [BLIPIncomingRequest] {
        asked.filter { $0.profile == profile }
    }

    private mutating func play(
        _ message: Transcript.Message,
        _ earlier: ArraySlice<Transcript.Message>
    ) {
        switch message.type {
        case "REQ":
            var request = BLIPRequest(
                properties: message.blipProperties,
                body: .bytes(message.body)
            )
            request.isNoReply = message.isNoReply
            request.isCompressed = message.isCompressed
            if let number = blip.send(request) { sent[message.number] = number }
        case "RES", "ERR":
            guard let id = matched[message.number] else { return }
            let request = earlier.last {
                $0.type == "REQ" && $0.number == message.number
                    && $0.isFromClient != message.isFromClient
            }
            // A revision that was refused in the recording is refused again.
            if message.type == "ERR", let request, request.profile == "rev" {
                failedAnswers[request.profile + request.key] = message
            }
            blip.reply(to: id, with: reply(message, to: request))
        default:
            break
        }
    }

    private func reply(
        _ message: Transcript.Message,
        to recorded: Transcript.Message?
    ) -> BLIPReply {
        var body = contents[recorded?["digest"] ?? ""] ?? message.body
        if let checkpoint, message.type == "RES" {
            switch recorded?.profile {
            case "getCheckpoint": body = checkpoint
            case "getCollections":
                body = Array("[{\"_rev\":\"0-1\",".utf8) + checkpoint.dropFirst() + [0x5D]
            default: break
            }
        }
        if let recorded, recorded.profile == "proposeChanges",
            let request = asked.last(where: { $0.profile == "proposeChanges" })
        {
            body = verdicts(message, recorded, request)
        }
        var reply = BLIPReply(properties: message.blipProperties, body: .bytes(body))
        reply.isError = message.type == "ERR"
        reply.isCompressed = message.isCompressed
        return reply
    }

    /// The recorded verdicts in the order of our peer's proposals.
    private func verdicts(
        _ message: Transcript.Message,
        _ recorded: Transcript.Message,
        _ request: BLIPIncomingRequest
    ) -> [UInt8] {
        var byDocument: [String: JSON] = [:]
        for (entry, verdict) in zip(recorded.json?.array ?? [], message.json?.array ?? []) {
            byDocument[entry.array?.first?.string ?? ""] = verdict
        }
        let proposed = (try? JSON(parsing: request.body.span))?.array ?? []
        let verdicts = proposed.map { byDocument[$0.array?.first?.string ?? ""] ?? 0 }
        return (try? JSON.array(verdicts).canonicalBytes()) ?? []
    }

    private mutating func expect(_ message: Transcript.Message) {
        switch message.type {
        case "REQ":
            let isEmpty = message.body.count <= 4
            let isList = message.profile == "changes" || message.profile == "proposeChanges"
            let place = unmatched.firstIndex { request in
                request.profile == message.profile
                    && (!isList || (request.body.count <= 4) == isEmpty)
                    && (request.properties["id"] ?? "") + (request.properties["digest"] ?? "")
                        == message.key
            }
            guard let place else {
                // We save checkpoints less often, and need no blob twice.
                guard message.profile != "setCheckpoint" else { return }
                // Nor do we say twice that there is nothing more.
                guard !isList || !isEmpty else { return }
                guard isStrict || message.profile != "getAttachment" else { return }
                differ("no \(message.profile) \(message.key)")
                return
            }
            let request = unmatched.remove(at: place)
            matched[message.number] = request.id
            compare(request, with: message)
        case "RES", "ERR":
            guard let number = sent[message.number] else { return }
            guard let reply = replies[number] else {
                differ("no answer to request \(message.number)")
                return
            }
            compare(reply, with: message)
        default:
            break
        }
    }

    private mutating func exchange() {
        var isQuiet = false
        while !isQuiet {
            isQuiet = true
            var frame: [UInt8] = []
            while blip.nextFrame(into: &frame) {
                peer.receive(frame.span, at: .zero)
                frame = []
                isQuiet = false
            }
            if !isQuiet { peer.inputDrained(at: .zero) }
            drainEffects()
            while peer.nextFrame(into: &frame) {
                do {
                    try blip.receive(frame.span)
                } catch {
                    Issue.record("\(label): \(error)")
                }
                frame = []
                isQuiet = false
            }
            while let event = blip.next() { take(event) }
        }
    }

    private mutating func take(_ event: BLIPEvent) {
        switch event {
        case .request(let request):
            asked.append(request)
            if isLegacy, request.profile == "getCollections" {
                blip.reply(to: request.id, with: .noHandler)
            } else if let failure = failedAnswers[
                request.profile + (request.properties["id"] ?? "")
            ] {
                blip.reply(to: request.id, with: reply(failure, to: nil))
            } else {
                unmatched.append(request)
            }
        case .reply(let number, let reply): replies[number] = reply
        case .replyPiece, .bodyFailed: break
        }
    }

    /// Answers requests that are not in the recording: further checkpoints.
    private mutating func answerRest() {
        while let place = unmatched.firstIndex(where: { $0.profile == "setCheckpoint" }) {
            blip.reply(
                to: unmatched.remove(at: place).id,
                with: BLIPReply(properties: ["rev": "9"])
            )
            exchange()
        }
        for request in unmatched where !request.isNoReply {
            differ("nobody expected \(request.profile) \(request.properties["id"] ?? "")")
        }
    }

    private mutating func drainEffects() {
        while let effect = peer.next() {
            switch effect {
            case .close(let code, let error):
                closeCode = code.number
                self.error = error
            case .documents(let documents): events += documents
            case .store(let work):
                work.run()
                peer.advance(to: .zero)
            case .status, .blob, .transfer: break
            case .resolve(let conflict):
                // The recorded client had no resolver.
                let error = SyncError(.liteCore, 8, "nobody resolves this")
                peer.conflictResolved(conflict, error: error, at: .zero)
            }
        }
    }
}

// MARK: - Comparison

extension Replay {
    /// Records a difference, or fails.
    private mutating func differ(_ text: String) {
        guard collects else {
            Issue.record("\(label): \(text)")
            return
        }
        differences.append("\(label): \(text)")
    }

    private mutating func check(_ isSame: Bool, _ text: @autoclosure () -> String) {
        if !isSame { differ(text()) }
    }

    private mutating func compare(_ request: BLIPIncomingRequest, with message: Transcript.Message)
    {
        let names: [String] =
            switch message.profile {
            case "rev": ["id", "rev", "history", "sequence", "deltaSrc"]
            case "subChanges": ["since", "continuous", "filter", "channels"]
            case "getAttachment": ["digest", "docID", "compress"]
            case "proposeChanges": ["conflictIncludesRev"]
            default: []
            }
        for name in names where isStrict || name == "rev" || name == "digest" {
            let ours = request.properties[name]
            if collects, ScenarioTolerance.allows(ours, for: message[name], as: name) { continue }
            check(
                ours == message[name],
                "\(name) of \(message.profile) \(message.key) is \(ours ?? "none")"
            )
        }
        if !isLegacy, message.profile != "getCollections" {
            check(request.properties["collection"] == "0", "collection of \(message.profile)")
        }
        guard let ours = try? JSON(parsing: request.body.span) else { return }
        switch message.profile {
        case "rev":
            check(
                request.properties.bool("deleted") == (message["deleted"] != nil),
                "deleted of \(message.key)"
            )
            if isStrict {
                check(ours == message.json, "body of \(message.key)")
            } else {
                check(Self.digests(ours) == Self.digests(message.json), "blobs of \(message.key)")
            }
        case "proposeChanges", "changes":
            let count = isStrict ? 3 : 2
            let (heads, recorded) = (Self.heads(ours, count), Self.heads(message.json, count))
            guard !collects else {
                for text in ScenarioTolerance.differences(
                    heads,
                    from: recorded,
                    in: message.profile
                ) {
                    differ("\(message.profile) \(text)")
                }
                return
            }
            check(
                isStrict ? heads == recorded : heads.allSatisfy { recorded.contains($0) },
                "\(message.profile) \(heads.map(JSON.array).map(Self.text).joined(separator: " "))"
            )
        default:
            break
        }
    }

    private mutating func compare(_ reply: BLIPIncomingReply, with message: Transcript.Message) {
        guard isStrict else { return }
        // Content of a different length is not from the test.
        let isBlob = message.profile.isEmpty && contents.values.contains(reply.body)
        guard !isBlob else { return }
        check(
            (reply.error != nil) == (message.type == "ERR"),
            "answer \(message.number) is \(reply.error.map { "\($0.domain)/\($0.code)" } ?? "fine")"
        )
        for name in ["maxHistory", "blobs", "rev", "noop"] {
            let ours = reply.properties[name]
            check(
                ours == message[name],
                "\(name) of answer \(message.number) is \(ours ?? "none")"
            )
        }
        if message.type == "RES", !message.body.isEmpty {
            let ours = try? JSON(parsing: reply.body.span)
            let isSame = ours == nil ? reply.body == message.body : ours == message.json
            let isAllowed = collects && ScenarioTolerance.allows(ours, for: message.json)
            check(
                isSame || isAllowed,
                "answer \(message.number) is \(ours.map(Self.text) ?? "no JSON")"
            )
        }
    }

    private static func text(_ value: JSON) -> String {
        String(decoding: (try? value.canonicalBytes()) ?? [], as: UTF8.self)
    }

    /// The digests that are sent to Sync Gateway.
    private static func digests(_ body: JSON?) -> [String] {
        (body?["_attachments"]?.object ?? JSONObject()).map { name, entry in
            "\(name) \(entry["digest"]?.string ?? "") \(entry["stub"]?.bool == true)"
        }
    }

    /// The first items of each entry; sizes are estimates.
    private static func heads(_ list: JSON?, _ count: Int) -> [[JSON]] {
        (list?.array ?? []).map { entry in
            let head = Array((entry.array ?? []).prefix(count))
            return head.last == "" ? head.dropLast() : head
        }
    }
}
