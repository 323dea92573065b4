import DivanBLIP
import DivanCompression
import DivanCrypto
import DivanLZ4
import DivanReplicator
import DivanWebSocket
import DivanZlib

/// Decodes one connection between two peers from the bytes that each end sent.
///
/// It does no I/O and has no clock: bytes with their sender and time in, events out. Both ends'
/// bytes may be split anywhere; their meaning depends on each end's bytes alone, except for the codec,
/// which the handshake chooses, and for replies, which are linked to their request if that was seen.
struct WireConversation {
    /// The stage of the opening handshake.
    private enum Phase {
        case request(ServerHandshake)
        case response(ClientHandshake, offered: [String])
        case open(client: WireDirection, server: WireDirection)
        /// The server refused, or it is not WebSocket.
        case over
    }

    private struct Asked {
        let profile: String
        let time: Double?
    }

    private let bodyByteCount: Int
    private var phase = Phase.request(ServerHandshake())
    /// Bytes that arrived before the stage in which they can be read.
    private var early: [WireEnd: [UInt8]] = [:]
    private var questions: [WireEnd: [UInt64: Asked]] = [:]
    private var events: [WireEvent] = []

    /// Creates an empty conversation that keeps this many bytes of each body.
    init(keeping bodyByteCount: Int) {
        self.bodyByteCount = bodyByteCount
    }

    /// Whether nothing that follows will be decoded.
    var isOver: Bool {
        if case .over = phase { return true }
        return false
    }

    /// Returns and removes the events so far.
    mutating func takeEvents() -> [WireEvent] {
        defer { events = [] }
        return events
    }

    /// Takes what an end sent; `time` is in seconds.
    mutating func receive(_ bytes: [UInt8], from sender: WireEnd, at time: Double?) {
        switch (phase, sender) {
        case (.over, _): return
        case (.request(var handshake), .client):
            handshake.receive(bytes.span)
            takeRequest(&handshake, time)
        case (.response(var handshake, let offered), .server):
            handshake.receive(bytes.span)
            phase = .response(handshake, offered: offered)
            takeResponse(time)
        case (.open, _): decode(bytes, from: sender, at: time)
        default: keepEarly(bytes, from: sender, at: time)
        }
    }

    /// Records that an end sends no more.
    mutating func receiveEnd(from sender: WireEnd, at time: Double?) {
        if case .response(var handshake, let offered) = phase, sender == .server {
            handshake.receiveEnd()
            phase = .response(handshake, offered: offered)
            takeResponse(time)
        }
        if !isOver { say(.ended, sender, time) }
    }

    /// Records that the server's bytes are not available: the client's first offer counts as accepted.
    mutating func assumeAcceptance() {
        guard case .response(_, let offered) = phase else { return }
        open(offered.first, client: [], server: [], at: nil)
    }

    /// Records that bytes of an end are missing; nothing after them can be decompressed.
    mutating func lose(from sender: WireEnd, at time: Double?) {
        if !isOver { stop("bytes are missing in the capture", sender, time) }
    }

    /// Ignores everything that follows.
    mutating func ignore() {
        phase = .over
    }

    // MARK: The handshake

    private mutating func takeRequest(_ handshake: inout ServerHandshake, _ time: Double?) {
        let request: HandshakeRequest
        do throws(HandshakeError) {
            phase = .request(handshake)
            guard let complete = try handshake.next() else { return }
            request = complete
        } catch {
            return stop("\(error)", .client, time)
        }
        let target = request.path + (request.query == nil ? "" : "?" + WireRedaction.blank)
        let headers = WireRedaction.blanking(request.headers)
        say(.asked(method: request.method, target: target, headers: headers), .client, time)
        if let defect = request.defect { return stop("\(defect)", .client, time) }
        keepEarly(handshake.takeLeftover(), from: .client, at: time)
        do {
            let answer = try ClientHandshake(
                .init(host: "peer", target: "/", subprotocols: request.subprotocols),
                key: Base64.decode(request.headers["Sec-WebSocket-Key"] ?? "") ?? []
            )
            phase = .response(answer, offered: request.subprotocols)
        } catch {
            return stop("\(error)", .client, time)
        }
        if let bytes = early.removeValue(forKey: .server) {
            receive(bytes, from: .server, at: time)
        }
    }

    private mutating func takeResponse(_ time: Double?) {
        guard case .response(var handshake, _) = phase else { return }
        let outcome: ClientHandshake.Outcome?
        do throws(HandshakeError) {
            outcome = try handshake.next()
        } catch {
            return stop("\(error)", .server, time)
        }
        switch outcome {
        case nil: return
        case .accepted(let acceptance):
            let headers = WireRedaction.blanking(acceptance.headers)
            say(.accepted(subprotocol: acceptance.subprotocol, headers: headers), .server, time)
            let client = early.removeValue(forKey: .client) ?? []
            open(acceptance.subprotocol, client: client, server: acceptance.leftover, at: time)
        case .refused(let refusal):
            refuse(refusal.status, refusal.explanation, refusal.headers, time)
        case .redirected(let status, let location, let headers):
            refuse(status, "to \(WireRedaction.redactingQuery(location))", headers, time)
        }
    }

    private mutating func refuse(
        _ status: Int,
        _ explanation: String,
        _ headers: HTTPHeaders,
        _ time: Double?
    ) {
        let headers = WireRedaction.blanking(headers)
        say(.refused(status: status, explanation: explanation, headers: headers), .server, time)
        phase = .over
    }

    private mutating func open(
        _ subprotocol: String?,
        client: [UInt8],
        server: [UInt8],
        at time: Double?
    ) {
        let codec = Self.codec(of: subprotocol)
        phase = .open(
            client: WireDirection(from: .client, codec: codec, keeping: bodyByteCount),
            server: WireDirection(from: .server, codec: codec, keeping: bodyByteCount)
        )
        let early = early.removeValue(forKey: .client) ?? []
        decode(early + client, from: .client, at: time)
        decode(server, from: .server, at: time)
    }

    private static func codec(of subprotocol: String?) -> any CompressionCodec {
        let name = subprotocol.flatMap { Subprotocol($0) }?.codecName
        return name?.lowercased() == LZ4Codec().name ? LZ4Codec() : DeflateCodec()
    }

    private mutating func keepEarly(_ bytes: [UInt8], from sender: WireEnd, at time: Double?) {
        guard !bytes.isEmpty else { return }
        early[sender, default: []] += bytes
        guard early[sender, default: []].count <= WireLimits.earlyByteCount else {
            return stop(
                "data from the \(sender.rawValue) before the handshake; the recording must include "
                    + "the start of the connection",
                sender,
                time
            )
        }
    }

    // MARK: Frames

    private mutating func decode(_ bytes: [UInt8], from sender: WireEnd, at time: Double?) {
        guard !bytes.isEmpty, case .open(var client, var server) = phase else { return }
        phase = .over  // so that the decoders are not copied
        let contents = sender == .client ? client.receive(bytes) : server.receive(bytes)
        phase = .open(client: client, server: server)
        for content in contents {
            guard case .message(var message) = content else {
                say(content, sender, time)
                continue
            }
            match(&message, sender, time)
            say(.message(message), sender, time)
        }
    }

    /// Records a request, or finds the one that a reply belongs to.
    private mutating func match(_ message: inout WireMessage, _ sender: WireEnd, _ time: Double?) {
        guard message.kind != .request else {
            guard !message.trace.isNoReply else { return }
            var asked = questions.removeValue(forKey: sender) ?? [:]
            if asked.count >= WireLimits.openRequestCount { asked.removeAll() }
            asked[message.number] = Asked(profile: message.properties["Profile"] ?? "", time: time)
            questions[sender] = asked
            return
        }
        guard let asked = questions[sender.other]?.removeValue(forKey: message.number) else {
            return
        }
        let delay = time.flatMap { end in asked.time.map { end - $0 } }
        message.question = WireMessage.Question(profile: asked.profile, delay: delay)
    }

    private mutating func stop(_ sentence: String, _ sender: WireEnd, _ time: Double?) {
        say(.problem(sentence), sender, time)
        phase = .over
    }

    private mutating func say(_ content: WireEvent.Content, _ sender: WireEnd, _ time: Double?) {
        events.append(WireEvent(sender: sender, time: time, content: content))
    }
}
