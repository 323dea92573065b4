/// The URLs under which a database may have known one server before it was copied.
///
/// Some implementations write a default port, some omit it; both are names of one checkpoint.
///
/// Source: `checkpoints.md` §4 (2).
enum RemoteURLSpellings {
    /// The URL as it is, then with the default port added or removed.
    ///
    /// A text that is no WebSocket URL, such as the name of a message endpoint's peer, has only one spelling.
    static func all(of text: String) -> [String] {
        guard let scheme = text.firstRange(of: "://") else { return [text] }
        let port: String
        switch text[..<scheme.lowerBound] {
        case "ws": port = ":80"
        case "wss": port = ":443"
        default: return [text]
        }
        let rest = text[scheme.upperBound...]
        let hostEnd = rest.firstIndex(of: "/") ?? rest.endIndex
        let host = rest[..<hostEnd]
        // The colons of an IPv6 address are before its closing bracket.
        let name = host[(host.lastIndex(of: "]") ?? host.startIndex)...]
        let start = text[..<scheme.upperBound]
        if host.hasSuffix(port), name.contains(":") {
            return [text, "\(start)\(host.dropLast(port.count))\(rest[hostEnd...])"]
        }
        guard !name.contains(":") else { return [text] }
        return [text, "\(start)\(host)\(port)\(rest[hostEnd...])"]
    }
}
