import DivanCrypto

/// The proof that a server read the request: a digest over the client's random key.
///
/// Source: RFC 6455 §1.3.
enum HandshakeKey {
    /// The value of Sec-WebSocket-Accept for the value of Sec-WebSocket-Key.
    static func accept(_ key: String) -> String {
        let text = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
        return Base64.encode(SHA1.digest(of: text.span).span)
    }

    /// Whether `key` is the Base64 form of 16 bytes.
    static func isValid(_ key: String) -> Bool {
        Base64.decode(key)?.count == 16
    }
}
