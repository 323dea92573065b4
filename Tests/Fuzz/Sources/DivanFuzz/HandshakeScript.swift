import DivanCrypto

/// The heads of an upgrade, from an input or correct ones.
enum HandshakeScript {
    /// Reads a head to its blank line; `nil` if none arrives in time, in milliseconds.
    static func read(_ wire: Wire, within patience: Int32 = 5_000) -> (head: String, rest: [UInt8])?
    {
        var bytes: [UInt8] = []
        var waits = 0
        while waits < 50, bytes.count < 100_000 {
            guard let more = wire.receive(within: patience / 50) else { return nil }
            if more.isEmpty { waits += 1 }
            bytes += more
            if let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
                return (head, Array(bytes[end.upperBound...]))
            }
        }
        return nil
    }

    /// A request for the database of the listener.
    static func request(isOld: Bool) -> String {
        """
        GET /\(FuzzDatabase.name)/_blipsync HTTP/1.1
        Host: localhost
        Upgrade: websocket
        Connection: Upgrade
        Sec-WebSocket-Version: 13
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
        Sec-WebSocket-Protocol: BLIP_3+CBMobile_\(isOld ? 2 : 3)
        Authorization: Basic YWRhOnNlY3JldA==


        """
    }

    /// A response that accepts a replicator.
    static func answer(isOld: Bool) -> String {
        """
        HTTP/1.1 101 Switching Protocols
        Upgrade: websocket
        Connection: Upgrade
        Sec-WebSocket-Accept: {accept}
        Sec-WebSocket-Protocol: BLIP_3+CBMobile_\(isOld ? 2 : 3)


        """
    }

    /// A head as sent: `{accept}` is replaced by what the request's key requires.
    ///
    /// A redirect stays within this machine.
    static func bytes(_ head: String, answering request: String = "") -> [UInt8] {
        let lines = head.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            !line.lowercased().contains("ocation") || line.contains("//127.0.0.1")
        }
        let text = lines.joined(separator: "\r\n")
        guard text.contains("{accept}") else { return Array(text.utf8) }
        let parts = text.split(
            separator: "{accept}",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        return Array(parts.joined(separator: accept(request)).utf8)
    }

    /// Source: RFC 6455 §4.2.2.
    private static func accept(_ request: String) -> String {
        let line = request.split(separator: "\r\n").first {
            $0.lowercased().hasPrefix("sec-websocket-key:")
        }
        let key = line?.split(separator: ":").last.map { $0.filter { $0 != " " } } ?? ""
        let text = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
        return Base64.encode(SHA1.digest(of: text.span).span)
    }
}

extension Conversation {
    /// Takes the head from an input's first act.
    mutating func takeHead() -> String? {
        guard acts.first?.kind == .bytes else { return nil }
        return String(decoding: acts.removeFirst().body, as: UTF8.self)
    }
}
