import DivanAuth
import DivanDatabase
import DivanRevisions
import DivanWebSocket

/// Any text gives a value that is written as it was read, or none: addresses, cookies,
/// credentials, blob digests and collection paths.
enum Texts: FuzzTarget {
    static let name = "texts"

    static func violation(of input: [UInt8]) -> String? {
        var reader = InputReader(input)
        let kind = reader.byte()
        let text = String(decoding: reader.remainder(), as: UTF8.self)
        switch kind % 5 {
        case 0: return address(text)
        case 1: return cookies(text)
        case 2: return credentials(text)
        case 3: return digest(text)
        default:
            guard let path = CollectionPath(text) else { return nil }
            return CollectionPath(path.description) == path ? nil : "\(path) from \(text)"
        }
    }

    private static func address(_ text: String) -> String? {
        if let endpoint = try? WebSocketEndpoint(text) {
            _ = endpoint.redirected(to: text)
            guard (try? WebSocketEndpoint(endpoint.description)) == endpoint else {
                return "\(endpoint) from \(text)"
            }
        }
        guard let url = try? WebSocketURL(text) else { return nil }
        let again = try? WebSocketEndpoint(url.effectiveText)
        return again?.host == url.endpoint.host ? nil : "\(url.effectiveText) from \(text)"
    }

    private static func cookies(_ text: String) -> String? {
        var jar = CookieJar()
        let here = CookieJar.Location(host: "a.example.com", path: "/db/_blipsync", isSecure: true)
        for line in text.split(separator: "\n").prefix(50) {
            jar.receive(String(line), from: here, at: 1_700_000_000)
        }
        let header = jar.header(for: here, at: 1_700_000_001) ?? ""
        let isClean = header.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        guard isClean else { return "the header holds control characters: \(header)" }
        // Cookies without an expiry are not stored.
        let kept = jar.encoded()
        let again = try? CookieJar(decoding: kept.span)
        return again?.encoded() == kept ? nil : "the jar comes back changed"
    }

    private static func credentials(_ text: String) -> String? {
        guard let credentials = BasicCredentials(header: text) else { return nil }
        return BasicCredentials(header: credentials.header) == credentials
            ? nil : "\(credentials.header) from \(text)"
    }

    private static func digest(_ text: String) -> String? {
        guard let digest = BlobDigest(text) else { return nil }
        if digest.bytes.count != 20 { return "a digest of \(digest.bytes.count) bytes" }
        if digest.fileName.contains("/") { return "a path for a file name: \(digest.fileName)" }
        return digest.description == text ? nil : "\(digest) from \(text)"
    }

    static func seeds() -> [[UInt8]] {
        let texts: [(UInt8, String)] = [
            (0, "wss://example.com:4984/db/_blipsync?x=1"), (0, "ws://[::1]:80/d%20b"),
            (0, "//other.example.com/x"), (0, "../y"), (0, "http://10.0.0.1/"),
            (
                1,
                "SyncGatewaySession=abc; Path=/db; Expires=Fri, 20 Nov 2027 07:04:15 GMT; HttpOnly"
            ),
            (1, "a=b; Domain=example.com; Max-Age=60; Secure\nc=d; Max-Age=0"),
            (2, "Basic YWxpY2U6cGFzcw=="), (2, "basic OnBhc3M="),
            (3, "sha1-Kq5sNclPz7QV2+lfQIuc6R7oRu0="), (3, "sha1-////////////////////////////="),
            (4, "inventory.hotel"), (4, "_default._default"), (4, "x"),
        ]
        return texts.map { [$0] + Array($1.utf8) }
    }
}
