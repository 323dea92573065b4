import DivanWebSocket

/// Keeps credentials off screens and out of recordings.
enum WireRedaction {
    /// What replaces a secret.
    static let blank = "•••"

    /// Whether the value of a field is a secret.
    static func isSecret(_ name: some StringProtocol) -> Bool {
        let name = name.lowercased()
        if ["authorization", "proxy-authorization", "cookie", "set-cookie"].contains(name) {
            return true
        }
        // Those of the handshake itself are not credentials.
        guard !name.hasPrefix("sec-websocket-") else { return false }
        return ["auth", "token", "secret", "password", "session", "api-key", "apikey"]
            .contains { name.contains($0) }
    }

    /// The fields with their secrets blanked; the scheme of credentials stays.
    static func blanking(_ headers: HTTPHeaders) -> HTTPHeaders {
        HTTPHeaders(
            headers.fields.map { field in
                guard isSecret(field.name) else { return (field.name, field.value) }
                let words = field.value.split(separator: " ")
                let isCredential = field.name.lowercased().hasSuffix("authorization")
                let scheme = isCredential && words.count == 2 ? "\(words[0]) " : ""
                return (field.name, scheme + blank)
            }
        )
    }

    /// A path without what follows its question mark.
    static func redactingQuery(_ text: String) -> String {
        guard let mark = text.firstIndex(of: "?") else { return text }
        return text[...mark] + blank
    }
}

/// Blanks the secrets of a head in place, so that a recording keeps its lengths.
///
/// Everything after the head passes unchanged; nothing passes before the head is complete.
struct HeaderRedactor {
    private var head: [UInt8] = []
    private var isPassing = false

    /// Takes bytes; returns what may be recorded of all so far.
    mutating func pass(_ bytes: [UInt8]) -> [UInt8] {
        guard !isPassing else { return bytes }
        // From just before the new bytes: the head's end may be split across two pieces.
        let start = max(0, head.count - 3)
        head += bytes
        guard let end = Self.end(of: head, from: start) else {
            guard head.count > WireLimits.headByteCount else { return [] }
            // Not a head: discard it.
            head = []
            return []
        }
        isPassing = true
        var whole: [UInt8] = []
        swap(&whole, &head)
        Self.blank(&whole, upTo: end)
        return whole
    }

    /// Where the empty line after a head ends.
    static func end(of bytes: [UInt8], from start: Int = 0) -> Int? {
        guard bytes.count >= 4, start <= bytes.count - 4 else { return nil }
        for index in start...bytes.count - 4
        where bytes[index] == 13 && bytes[index + 1] == 10 && bytes[index + 2] == 13
            && bytes[index + 3] == 10
        {
            return index + 4
        }
        return nil
    }

    private static func blank(_ bytes: inout [UInt8], upTo end: Int) {
        var lineStart = 0
        while lineStart < end {
            let lineEnd = bytes[lineStart..<end].firstIndex(of: 10) ?? end
            blankLine(&bytes, lineStart..<lineEnd, isFirst: lineStart == 0)
            lineStart = lineEnd + 1
        }
    }

    private static func blankLine(_ bytes: inout [UInt8], _ line: Range<Int>, isFirst: Bool) {
        if isFirst {
            // GET /db/_blipsync?token=… HTTP/1.1
            guard let mark = bytes[line].firstIndex(of: UInt8(ascii: "?")) else { return }
            let blank = bytes[mark..<line.upperBound].firstIndex(of: UInt8(ascii: " "))
            return fill(&bytes, mark + 1..<(blank ?? line.upperBound))
        }
        guard let colon = bytes[line].firstIndex(of: UInt8(ascii: ":")) else { return }
        let name = String(decoding: bytes[line.lowerBound..<colon], as: UTF8.self)
        guard WireRedaction.isSecret(name) else { return }
        fill(&bytes, colon + 1..<line.upperBound)
    }

    /// Overwrites a secret with letters; blanks and the line's end stay.
    private static func fill(_ bytes: inout [UInt8], _ range: Range<Int>) {
        for index in range where bytes[index] != UInt8(ascii: " ") && bytes[index] != 13 {
            bytes[index] = UInt8(ascii: "x")
        }
    }
}
