import DivanBLIP
import DivanCommandLine
import DivanCrypto
import DivanJSON
import DivanPlatform
import DivanWebSocket

/// Writes the messages of peers: lines for people, in colour on a terminal, or an object per line for machines.
struct WireListing {
    private enum Colour: String {
        case client = "36"
        case server = "32"
        case problem = "31"
        case faint = "2"
    }

    private let terminal: Terminal
    private let showsFrames: Bool
    private let isColoured: Bool

    init(_ terminal: Terminal, showsFrames: Bool) {
        self.terminal = terminal
        self.showsFrames = showsFrames
        isColoured =
            terminal.resultWidth != nil && terminal.isInteractive
            && CurrentProcess.variable("NO_COLOR") == nil
    }

    /// Writes an event, unless only `--frames` shows it.
    func write(_ event: WireEvent, connection: Int) {
        guard showsFrames || !event.content.isDetail else { return }
        if terminal.isJSON {
            return terminal.result(
                JSON.object(object(event, connection)).canonicalText
            )
        }
        let time = event.time.map { Numbers.decimal($0, places: 3) } ?? ""
        let place =
            String(repeating: " ", count: max(0, 9 - time.count)) + time + "  \(connection) "
        let arrow = event.sender == .client ? "→ " : "← "
        let (line, further) = text(of: event.content)
        let colour: Colour =
            event.content.isProblem ? .problem : event.sender == .client ? .client : .server
        let text = line.escapingControlCharacters()
        terminal.result(painted(place, .faint) + painted(arrow + text, colour))
        for line in further {
            let margin = String(repeating: " ", count: place.count + arrow.count + 2)
            terminal.result(margin + painted(line.escapingControlCharacters(), .faint))
        }
    }

    private func painted(_ text: String, _ colour: Colour) -> String {
        isColoured ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }

    // MARK: For people

    private func text(of content: WireEvent.Content) -> (line: String, further: [String]) {
        switch content {
        case .asked(let method, let target, let headers):
            ("\(method) \(target)", headers.fields.map { "\($0.name): \($0.value)" })
        case .accepted(let subprotocol, let headers):
            (
                "101 \(subprotocol ?? "no subprotocol")",
                headers.fields.map { "\($0.name): \($0.value)" }
            )
        case .refused(let status, let explanation, let headers):
            (
                "\(status) \(explanation)",
                headers.fields.map { "\($0.name): \($0.value)" }
            )
        case .message(let message): text(of: message)
        case .frame(let frame): (text(of: frame), [])
        case .ping: ("ping", [])
        case .pong: ("pong", [])
        case .closed(let code, let reason):
            ("close \(code.map { "\($0)" } ?? "without a code") \(reason)", [])
        case .ended: ("end of the connection", [])
        case .problem(let sentence): ("cannot decode: \(sentence)", [])
        }
    }

    private func text(of message: WireMessage) -> (line: String, further: [String]) {
        var parts = ["#\(message.number)".padding(to: 5) + " " + name(of: message).padding(to: 18)]
        message.properties.forEachText { name, value in
            guard !["Profile", "Error-Domain", "Error-Code"].contains(name) else { return }
            parts.append("\(name)=\(value.shortened(to: 80))")
        }
        if message.bodyByteCount > 0 { parts.append(Numbers.bytes(message.bodyByteCount)) }
        let trace = message.trace
        if trace.frameCount > 1 {
            parts.append("\(trace.frameCount) frames, \(Numbers.bytes(trace.byteCount))")
        }
        if trace.isCompressed { parts.append("compressed") }
        if trace.isUrgent { parts.append("urgent") }
        if trace.isNoReply, message.kind == .request { parts.append("no reply") }
        if let delay = message.question?.delay {
            parts.append("after " + Numbers.decimal(delay * 1000, places: 1) + " ms")
        }
        let body = message.bodyText
        return (parts.joined(separator: "  "), body.isEmpty ? [] : [body])
    }

    private func name(of message: WireMessage) -> String {
        let profile = message.question?.profile ?? "?"
        switch message.kind {
        case .request: return message.properties["Profile"] ?? "(no profile)"
        case .reply: return "reply to \(profile)"
        case .error:
            let code = message.properties["Error-Code"] ?? "?"
            return "error for \(profile): \(message.properties["Error-Domain"] ?? "BLIP")/\(code)"
        }
    }

    private func text(of frame: BLIPFrameOutline) -> String {
        var parts = ["frame #\(frame.number) \(frame.kind.text)", Numbers.bytes(frame.byteCount)]
        if frame.isCompressed { parts.append("compressed") }
        if frame.hasMoreComing { parts.append("more to come") }
        return parts.joined(separator: ", ")
    }

    // MARK: For machines

    private func object(_ event: WireEvent, _ connection: Int) -> JSONObject {
        var object: JSONObject = [
            "connection": JSON(connection), "from": .string(event.sender.rawValue),
        ]
        if let time = event.time { object["time"] = .double((time * 1e6).rounded() / 1e6) }
        switch event.content {
        case .asked(let method, let target, let headers):
            object["kind"] = "handshake"
            object["method"] = .string(method)
            object["target"] = .string(target)
            object["headers"] = headers.json
        case .accepted(let subprotocol, let headers):
            object["kind"] = "handshake"
            object["status"] = 101
            object["subprotocol"] = subprotocol.map { .string($0) } ?? .null
            object["headers"] = headers.json
        case .refused(let status, let explanation, let headers):
            object["kind"] = "handshake"
            object["status"] = JSON(status)
            object["explanation"] = .string(explanation)
            object["headers"] = headers.json
        case .message(let message): message.fill(&object)
        case .frame(let frame): frame.fill(&object)
        case .ping: object["kind"] = "ping"
        case .pong: object["kind"] = "pong"
        case .closed(let code, let reason):
            object["kind"] = "close"
            object["code"] = code.map { JSON(Int($0)) } ?? .null
            object["reason"] = .string(reason)
        case .ended: object["kind"] = "end"
        case .problem(let sentence):
            object["kind"] = "problem"
            object["sentence"] = .string(sentence)
        }
        return object
    }
}

extension WireEvent.Content {
    /// Whether it matters only with frames shown.
    fileprivate var isDetail: Bool {
        switch self {
        case .frame, .ping, .pong: true
        default: false
        }
    }

    fileprivate var isProblem: Bool {
        switch self {
        case .problem, .refused: true
        case .message(let message): message.kind == .error
        default: false
        }
    }
}

extension WireMessage {
    /// The beginning of the body on one line; bytes that are not text in hexadecimal.
    fileprivate var bodyText: String {
        guard !bodyStart.isEmpty else { return "" }
        let rest = bodyByteCount > bodyStart.count ? "…" : ""
        if let text = bodyStart.text(isCut: !rest.isEmpty) { return text + rest }
        let digits = Hex.encode(Array(bodyStart.prefix(32)).span)
        return "bytes " + digits + (bodyByteCount > 32 ? "…" : "")
    }

    fileprivate func fill(_ object: inout JSONObject) {
        object["kind"] = .string(kind.rawValue)
        object["number"] = JSON(Int(clamping: number))
        var all = JSONObject()
        properties.forEachText { name, value in
            if all[name] == nil { all[name] = .string(value) }
        }
        object["properties"] = .object(all)
        if let profile = question?.profile ?? properties["Profile"] {
            object["profile"] = .string(profile)
        }
        if let delay = question?.delay {
            object["seconds"] = .double((delay * 1e6).rounded() / 1e6)
        }
        object["body"] = .string(bodyText)
        object["bodyBytes"] = JSON(bodyByteCount)
        object["frames"] = JSON(trace.frameCount)
        object["wireBytes"] = JSON(trace.byteCount)
        object["compressed"] = .bool(trace.isCompressed)
        object["urgent"] = .bool(trace.isUrgent)
        if kind == .request { object["wantsReply"] = .bool(!trace.isNoReply) }
    }
}

extension BLIPFrameOutline {
    fileprivate func fill(_ object: inout JSONObject) {
        object["kind"] = "frame"
        object["of"] = .string(kind.text)
        object["number"] = JSON(Int(clamping: number))
        object["bytes"] = JSON(byteCount)
        object["compressed"] = .bool(isCompressed)
        object["more"] = .bool(hasMoreComing)
    }
}

extension BLIPFrameOutline.Kind {
    fileprivate var text: String {
        switch self {
        case .request: "request"
        case .reply: "reply"
        case .errorReply: "error"
        case .acknowledgesRequest(let count): "request acknowledged up to \(count)"
        case .acknowledgesReply(let count): "reply acknowledged up to \(count)"
        case .unknown(let type): "of unknown type \(type)"
        }
    }
}

extension BLIPProperties {
    /// Calls `body` with each pair in order.
    fileprivate func forEachText(_ body: (_ name: String, _ value: String) -> Void) {
        forEachPair { name, value in
            body(name.text, value.text)
        }
    }
}

extension Span<UInt8> {
    /// The bytes as text.
    fileprivate var text: String {
        // The buffer is used only within the closure.
        withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}

extension HTTPHeaders {
    fileprivate var json: JSON {
        .array(fields.map { .array([.string($0.name), .string($0.value)]) })
    }
}

extension [UInt8] {
    /// The bytes as text, if they are text; a truncated character at the end is left out.
    fileprivate func text(isCut: Bool) -> String? {
        for count in 0...(isCut ? Swift.min(3, count) : 0) {
            if let text = String(validating: dropLast(count), as: UTF8.self) {
                return text.utf8.contains(where: { $0 < 9 }) ? nil : text
            }
        }
        return nil
    }
}

extension String {
    fileprivate func shortened(to length: Int) -> String {
        count <= length ? self : prefix(length - 1) + "…"
    }
}
