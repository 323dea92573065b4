/// The reason why a WebSocket connection was closed, from its CLOSE frames.
///
/// Source: RFC 6455 §5.5.1, §7.4; `websocket-and-urls.md` §4.
public struct CloseStatus: Equatable, Sendable {
    /// The status code; 1005 means a CLOSE frame without one.
    public let code: UInt16
    /// A message for logs, at most 123 bytes of UTF-8.
    public let reason: String
    /// Whether the peer started the close, not the local side.
    public let isByPeer: Bool

    /// Creates a status.
    public init(code: UInt16, reason: String = "", isByPeer: Bool) {
        self.code = code
        self.reason = reason
        self.isByPeer = isByPeer
    }
}

extension CloseStatus {
    /// The code that means a CLOSE frame without one.
    static let absentCode: UInt16 = 1005

    /// Whether a CLOSE frame may contain `code`.
    static func isSendable(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }

    /// Reads the payload of a CLOSE frame.
    init(payload: ArraySlice<UInt8>, isByPeer: Bool) throws(FrameError.Reason) {
        guard !payload.isEmpty else {
            self.init(code: Self.absentCode, isByPeer: isByPeer)
            return
        }
        guard payload.count >= 2 else { throw .closeCode(nil) }
        let code = UInt16(truncatingIfNeeded: bigEndian(payload.prefix(2)))
        guard Self.isSendable(code) else { throw .closeCode(code) }
        guard let reason = String(validating: payload.dropFirst(2), as: UTF8.self) else {
            throw .encoding(.close)
        }
        self.init(code: code, reason: reason, isByPeer: isByPeer)
    }

    /// The payload of a CLOSE frame: code and reason, cut to 125 bytes at a scalar boundary.
    ///
    /// Empty for a code that may not be sent.
    static func payload(code: UInt16, reason: String) -> [UInt8] {
        guard isSendable(code) else { return [] }
        var payload = [UInt8(code >> 8), UInt8(code & 0xFF)]
        for scalar in reason.unicodeScalars {
            let encoded = Array(String(scalar).utf8)
            guard payload.count + encoded.count <= 125 else { break }
            payload += encoded
        }
        return payload
    }
}
