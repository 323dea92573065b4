import DivanPlatform

/// The host of a URL as TLS needs it: a name for SNI, or the bytes of an address.
enum ServerName {
    case name(String)
    case address([UInt8])

    /// Reads a host; brackets, an IPv6 zone and a trailing dot are dropped.
    ///
    /// Returns `nil` for anything that is neither an address nor an ASCII host name.
    init?(_ host: String) {
        var text = host[...]
        if text.hasPrefix("["), text.hasSuffix("]") { text = text.dropFirst().dropLast() }
        let withoutZone = text.prefix { $0 != "%" }
        if let bytes = IPAddress.bytes(String(withoutZone)) {
            self = .address(bytes)
            return
        }
        if text.hasSuffix(".") { text = text.dropLast() }
        guard !text.isEmpty, text.utf8.count <= TLSLimits.serverNameByteCount,
            text.utf8.allSatisfy(Self.isHostCharacter)
        else { return nil }
        self = .name(String(text))
    }

    private static func isHostCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
