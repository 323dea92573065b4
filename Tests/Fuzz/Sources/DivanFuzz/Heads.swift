import DivanTestKit
import DivanWebSocket

/// Any bytes give a client's request or one error, the same however they are split; its response can
/// be written, and is one valid head.
enum ServerHeads: FuzzTarget {
    static let name = "server-heads"

    static func violation(of input: [UInt8]) -> String? {
        let whole = outcome([input[...]])
        var generator = SeededGenerator(seed: UInt64(input.count))
        let cut = outcome(input.pieces(longest: 7, using: &generator))
        if whole.text != cut.text { return "cut: \(cut.text), in one piece: \(whole.text)" }
        return whole.answer.flatMap(flaw)
    }

    private static func outcome(
        _ pieces: [ArraySlice<UInt8>]
    ) -> (text: String, answer: [UInt8]?) {
        var handshake = ServerHandshake()
        var leftover: [UInt8] = []
        var request: HandshakeRequest?
        for piece in pieces {
            if request != nil {
                leftover += piece
                continue
            }
            handshake.receive(piece.span)
            do {
                request = try handshake.next()
            } catch {
                return ("\(error)", try? HandshakeRefusal(error).bytes())
            }
            if request != nil { leftover = handshake.takeLeftover() }
        }
        guard let request else { return ("more", nil) }
        let chosen = request.firstSubprotocol(of: ["BLIP_3+CBMobile_3"])
        let answer = try? request.accept(subprotocol: chosen, headers: ["Server": "x"])
        let refusal = request.defect.flatMap { try? HandshakeRefusal($0).bytes() }
        return ("\(request) \(leftover)", answer ?? refusal)
    }

    /// A response has one head, whose lines end in CRLF, and no stray control characters.
    private static func flaw(_ answer: [UInt8]) -> String? {
        let text = String(decoding: answer, as: UTF8.self)
        guard text.hasPrefix("HTTP/1.1 ") else { return "not an HTTP response: \(text)" }
        var previous: UInt8 = 0
        for (index, byte) in answer.enumerated() {
            if byte == 13, answer[index...].starts(with: [13, 10, 13, 10]) { return nil }
            if byte == 10, previous != 13 { return "a bare line feed in the answer: \(text)" }
            if byte == 0 { return "a NUL in the answer: \(text)" }
            previous = byte
        }
        return "the head does not end: \(text)"
    }

    static func seeds() throws -> [[UInt8]] { try recordedHeads("request") }
}

/// Any bytes give one outcome of a client's handshake or one error, the same however they are split.
enum ClientHeads: FuzzTarget {
    static let name = "client-heads"

    /// The key of RFC 6455 §1.3, which the recorded responses belong to.
    private static let key = Array("the sample nonce".utf8)

    static func violation(of input: [UInt8]) -> String? {
        let whole = outcome([input[...]])
        var generator = SeededGenerator(seed: UInt64(input.count))
        let cut = outcome(input.pieces(longest: 7, using: &generator))
        return whole == cut ? nil : "cut: \(cut), in one piece: \(whole)"
    }

    private static func outcome(_ pieces: [ArraySlice<UInt8>]) -> String {
        do {
            let request = ClientHandshake.Request(
                host: "localhost",
                target: "/db/_blipsync",
                subprotocols: ["BLIP_3+CBMobile_3"],
                userAgent: "fuzz",
                headers: [:]
            )
            var handshake = try ClientHandshake(request, key: key)
            for (index, piece) in pieces.enumerated() {
                handshake.receive(piece.span)
                guard let outcome = try handshake.next() else { continue }
                // What follows the head belongs to the caller.
                if case .accepted(let acceptance) = outcome {
                    let rest = pieces[(index + 1)...].flatMap { $0 }
                    return "\(acceptance.subprotocol ?? "none") \(acceptance.headers) "
                        + "\(acceptance.leftover + rest)"
                }
                return "\(outcome)"
            }
            handshake.receiveEnd()
            return try handshake.next().map { "\($0)" } ?? "more"
        } catch {
            return "\(error)"
        }
    }

    static func seeds() throws -> [[UInt8]] { try recordedHeads("response") }
}

private func recordedHeads(_ key: String) throws -> [[UInt8]] {
    try ["01-handshake-accepted", "02-handshake-refused", "03-session-cookie"].flatMap { name in
        let file = try Fixtures.json("DivanWebSocket", "transcripts/\(name).json")
        return Fixtures.texts(named: key, in: file).map { Array($0.utf8) }
    }
}
