/// The target of a request: the path's segments and the query's items, decoded.
///
/// Each segment is decoded separately, so that an encoded slash is part of a name and never a separator, and `..`
/// has no special meaning. Source: RFC 3986 §2.1, §3.3; RFC 9112 §3.2.
public struct HTTPTarget: Equatable, Sendable {
    /// One item of the query.
    public struct Item: Equatable, Sendable {
        /// The name, decoded.
        public let name: String
        /// The value, decoded; empty if there is no equals sign.
        public let value: String
    }

    /// The parts of the path between its slashes; none for `/`; a trailing slash adds an empty part.
    public let segments: [String]
    /// The items of the query, in order.
    public let query: [Item]
    /// The path as sent.
    public let path: String

    /// Parses a request's target in origin form, or in absolute form, without its scheme and host.
    ///
    /// - Throws: `HTTPError` 400 for an invalid escape, or text that is not UTF-8.
    public init(_ text: some StringProtocol) throws(HTTPError) {
        let target = try Self.originForm(Substring(text))
        let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(halves[0])
        var segments: [String] = []
        for part in halves[0].dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            segments.append(try Self.decode(part, plusIsBlank: false))
        }
        self.segments = segments == [""] ? [] : segments
        var items: [Item] = []
        for part in (halves.count > 1 ? halves[1] : "").split(separator: "&") {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            items.append(
                Item(
                    name: try Self.decode(sides[0], plusIsBlank: true),
                    value: sides.count > 1 ? try Self.decode(sides[1], plusIsBlank: true) : ""
                )
            )
        }
        query = items
    }

    /// Text as one path segment: all characters except letters, digits and `-._~` are percent-encoded.
    public static func segment(_ text: String) -> String {
        // A segment of dots would be taken for a parent directory.
        let isDots = text.utf8.allSatisfy { $0 == UInt8(ascii: ".") }
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte), !isDots {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a byte needs no encoding anywhere in a URL: letters, digits and `-._~`.
    ///
    /// Source: RFC 3986 §2.3.
    public static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: false
        }
    }

    /// The value of the first item called `name`.
    public subscript(name: String) -> String? {
        query.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    private static func originForm(_ text: Substring) throws(HTTPError) -> Substring {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw HTTPError(400, "the URL contains characters that must be percent-encoded")
        }
        guard let target = originForm(text, schemes: ["http", "https"]) else {
            throw HTTPError(400, "the request target is not a path; check the URL")
        }
        return target
    }

    /// Host and port of a target in absolute form; `nil` for another form.
    static func authority(of text: Substring) -> String? {
        guard text.utf8.first != UInt8(ascii: "/"), let colon = text.firstIndex(of: ":") else {
            return nil
        }
        let rest = text[colon...].dropFirst()
        guard rest.hasPrefix("//") else { return nil }
        return String(rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" })
    }

    /// Path and query of a target, without the scheme and host of the absolute form, which clients send to proxies;
    /// `nil` for other text.
    public static func originForm(_ text: Substring, schemes: [String]) -> Substring? {
        if text.utf8.first == UInt8(ascii: "/") { return text }
        for scheme in schemes.map({ $0 + "://" })
        where text.prefix(scheme.count).isEqualIgnoringCase(scheme) {
            let authority = text.dropFirst(scheme.count)
            guard let end = authority.firstIndex(where: { $0 == "/" || $0 == "?" }) else {
                return "/"
            }
            return authority[end] == "/" ? authority[end...] : "/" + authority[end...]
        }
        return nil
    }

    private static func decode(
        _ text: Substring,
        plusIsBlank: Bool
    ) throws(HTTPError) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(hexadecimalDigit),
                    let low = rest.next().flatMap(hexadecimalDigit)
                else { throw HTTPError(400, "invalid percent-encoding in the URL") }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsBlank: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else {
            throw HTTPError(400, "the decoded URL is not UTF-8")
        }
        return decoded
    }
}

/// The value of a hexadecimal digit; `nil` for any other byte.
func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
