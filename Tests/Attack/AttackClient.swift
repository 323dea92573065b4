import DivanBLIP
import DivanTLS
import DivanWebSocket
import DivanZlib
import Foundation

/// A client that knows the protocol and may violate it.
final class AttackClient {
    /// The code with which the listener closed the connection.
    private(set) var closeCode: UInt16?

    private let wire: Wire
    private var socket = WebSocketConnection(role: .client, now: .zero)
    private var connection = BLIPConnection(codec: DeflateCodec())
    private var replies: [BLIPRequestNumber: BLIPIncomingReply] = [:]
    private(set) var requests: [BLIPIncomingRequest] = []

    /// Connects as a user of the listener.
    init(
        _ place: Place,
        as user: String = "ada",
        from source: String = "127.0.0.2"
    ) throws {
        wire = try Wire(to: place.port, from: source)
        if place.isSecure { try wire.startTLS() }
        let request = Request(path: "/\(place.database)/_blipsync", user: user)
        wire.send(request.bytes)
        let answer = wire.receive()
        guard Request.status(answer) == 101 else {
            throw AttackFailure("not let in: \(Request.status(answer) ?? 0)")
        }
        guard let end = answer.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
        take(Array(answer[end.upperBound...]))
    }

    /// Sends a request, and waits for the reply; `nil` if the connection ended or none arrived.
    func ask(_ properties: BLIPProperties, _ body: String = "") -> BLIPIncomingReply? {
        ask(properties, Array(body.utf8))
    }

    func ask(_ properties: BLIPProperties, _ body: [UInt8]) -> BLIPIncomingReply? {
        let request = BLIPRequest(properties: properties, body: .bytes(body))
        guard let number = connection.send(request) else { return nil }
        flush()
        while closeCode == nil {
            if let reply = replies.removeValue(forKey: number) { return reply }
            guard listen() else { return nil }
        }
        return replies.removeValue(forKey: number)
    }

    /// The same as text: `ok`, or the error's domain and code.
    func outcome(_ properties: BLIPProperties, _ body: String = "") -> String {
        guard let reply = ask(properties, body) else { return ended }
        return reply.error.map { "\($0.domain)/\($0.code)" } ?? "ok"
    }

    /// Begins a conversation about collections.
    func open(_ collections: [String] = ["_default"]) -> String {
        let names = collections.map { "\"\($0)\"" }.joined(separator: ",")
        let ids = collections.map { "\"cp-\($0)\"" }.joined(separator: ",")
        let body = "{\"checkpoint_ids\":[\(ids)],\"collections\":[\(names)]}"
        guard let reply = ask(["Profile": "getCollections"], body) else { return ended }
        return String(decoding: reply.body, as: UTF8.self)
    }

    /// Sends many requests without waiting.
    func flood(_ count: Int, _ properties: BLIPProperties) {
        for _ in 0..<count { _ = connection.send(BLIPRequest(properties: properties)) }
        flush()
    }

    /// Sends requests without waiting; those that are larger than a window are sent in part.
    func post(_ requests: [(BLIPProperties, String)]) {
        for (properties, body) in requests {
            _ = connection.send(BLIPRequest(properties: properties, body: .bytes(Array(body.utf8))))
        }
        flush()
    }

    /// Sends requests completely, reading what arrives in the meantime.
    func postAtOnce(_ requests: [(BLIPProperties, String)]) {
        post(requests)
        while connection.queuedByteCount > 0, closeCode == nil { guard listen() else { return } }
    }

    /// Waits for replies to what was posted; returns how many arrived.
    func waitForReplies(_ count: Int) -> Int {
        while replies.count < count, closeCode == nil { guard listen() else { break } }
        return replies.count
    }

    /// Sends a revision that refers to a blob, does not have it when asked, and reports what happened.
    func thieve(_ properties: BLIPProperties, _ body: String) -> String {
        let request = BLIPRequest(properties: properties, body: .bytes(Array(body.utf8)))
        guard let number = connection.send(request) else { return "not sent" }
        flush()
        while closeCode == nil, replies[number] == nil, requests.isEmpty {
            guard listen() else { return ended }
        }
        guard let question = requests.first else { return "not asked" }
        connection.reply(to: question.id, with: .error(domain: "HTTP", code: 404, message: "no"))
        flush()
        while closeCode == nil, replies[number] == nil { guard listen() else { return ended } }
        let error = replies[number]?.error.map { "\($0.domain)/\($0.code)" } ?? "ok"
        return question.profile == "getAttachment" ? "asked for it, then \(error)" : error
    }

    /// Sends a WebSocket message as it is.
    func sendMessage(_ bytes: [UInt8]) {
        socket.send(bytes.span)
        wire.send(socket.takeOutput())
    }

    /// Sends bytes inside of TLS, outside of any frame.
    func sendBytes(_ bytes: [UInt8]) { wire.send(bytes) }

    /// Waits until the listener ends the connection.
    func waitForEnd() -> String {
        while closeCode == nil { guard listen() else { break } }
        return ended
    }

    private var ended: String { closeCode.map { "closed \($0)" } ?? "ended" }

    private func flush() {
        var frame: [UInt8] = []
        while connection.nextFrame(into: &frame) {
            socket.send(frame.span)
            frame = []
        }
        let output = socket.takeOutput()
        if !output.isEmpty { wire.send(output) }
    }

    private func listen() -> Bool {
        let bytes = wire.receive()
        guard !bytes.isEmpty else { return false }
        take(bytes)
        return true
    }

    private func take(_ bytes: [UInt8]) {
        socket.receive(bytes.span, at: .zero)
        while let event = try? socket.next() {
            switch event {
            case .message(let message, _): _ = try? connection.receive(message.span)
            case .closed(let status): closeCode = status.code
            case .pong: break
            }
        }
        while let event = connection.next() {
            switch event {
            case .reply(let number, let reply): replies[number] = reply
            case .request(let request): requests.append(request)
            default: break
            }
        }
        flush()
    }
}

/// A listener to attack.
struct Place {
    let port: UInt16
    let isSecure: Bool
    var database = "attacked"
}

/// An upgrade request, as malformed as the attack needs.
struct Request {
    var path: String
    var authorization: String?
    var further: [String] = []

    init(path: String, user: String? = nil) {
        self.path = path
        authorization = user.map { Self.basic("\($0):\(Secrets.password)") }
    }

    init(path: String, authorization: String?, further: [String] = []) {
        self.path = path
        self.authorization = authorization
        self.further = further
    }

    static func basic(_ text: String) -> String {
        "Basic " + Data(text.utf8).base64EncodedString()
    }

    var bytes: [UInt8] {
        var lines = [
            "GET \(path) HTTP/1.1", "Host: localhost", "Upgrade: websocket",
            "Connection: Upgrade", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Protocol: BLIP_3+CBMobile_3",
        ]
        if let authorization { lines.append("Authorization: \(authorization)") }
        return Array((lines + further + ["", ""]).joined(separator: "\r\n").utf8)
    }

    /// The status of a response.
    static func status(_ answer: [UInt8]) -> Int? {
        let line = answer.prefix { $0 != 13 }
        let words = String(decoding: line, as: UTF8.self).split(separator: " ")
        return words.count > 1 && words[0].hasPrefix("HTTP/1.") ? Int(words[1]) : nil
    }
}

/// What must never appear in a log.
enum Secrets {
    static let password = "lovelace-7f3a91"
    static let wrongPassword = "byron-55c0de"
    static let body = "body-of-a-document-e1b2"
    static let cookie = "session-99aa77"
    static let all = [password, wrongPassword, body, cookie]
}
