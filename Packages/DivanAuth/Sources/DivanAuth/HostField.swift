import DivanPlatform

/// The `Host` field of a request: the name or address with which it addresses this server.
///
/// Web pages can make requests from a user's browser to servers that only that browser can reach. Two things reveal
/// such requests: the `Origin` that browsers add, which is not this server, and a name that resolves to this server
/// (DNS rebinding), so that the browser treats the server as part of the page.
///
/// Source: the Fetch standard, §3.2; RFC 9110 §7.2; the URL standard, §3.5.
public struct HostField: Sendable {
    /// What a well-formed field names.
    private enum Host {
        /// In lower case, without a final dot.
        case name(String)
        /// In network order.
        case address([UInt8])
    }

    private let text: String

    /// The field as received, including a port.
    public init(_ text: String) {
        self.text = text
    }

    /// Whether an `Origin` is this server itself.
    ///
    /// With TLS, only a page that was loaded over TLS is accepted, because an attacker can forge a page without
    /// TLS. Without TLS, both are accepted, because a proxy may terminate TLS.
    public func isOrigin(_ origin: String, isSecure: Bool) -> Bool {
        let lower = origin.lowercased()
        let schemes = isSecure ? ["https://"] : ["http://", "https://"]
        return schemes.contains { scheme in
            (scheme + text.lowercased()).utf8.elementsEqual(lower.utf8)
        }
    }

    /// Whether it is a name of this machine, or one of `names`; false for an empty or malformed field.
    ///
    /// Names of this machine are `localhost`, its host name, also with `.local`, and its addresses. Others cannot
    /// change what these resolve to, unlike other names without a dot or of a local network.
    public func isOwn(or names: [String] = []) -> Bool {
        guard let host else { return false }
        if names.contains(where: { HostField($0).names(host) }) { return true }
        switch host {
        case .name(let name): return name == "localhost" || LocalHostNames.names.contains(name)
        case .address(let bytes): return LocalHostNames.has(address: bytes)
        }
    }

    private func names(_ other: Host) -> Bool {
        switch (host, other) {
        case (.name(let own)?, .name(let other)): own.utf8.elementsEqual(other.utf8)
        case (.address(let own)?, .address(let other)): own == other
        default: false
        }
    }

    private var host: Host? {
        if text.hasPrefix("[") {
            let parts = text.dropFirst().split(
                separator: "]",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            guard parts.count == 2, Self.isPort(parts[1]),
                let bytes = Self.address(parts[0], .ipv6)
            else { return nil }
            return .address(bytes)
        }
        let name = text.prefix { $0 != ":" }
        guard Self.isPort(text[name.endIndex...]) else { return nil }
        if let bytes = Self.address(name, .ipv4) { return .address(bytes) }
        return Self.name(name).map { .name($0) }
    }

    /// Whether the text is empty, or a colon and a port.
    private static func isPort(_ text: Substring) -> Bool {
        guard !text.isEmpty else { return true }
        let digits = text.dropFirst()
        return text.first == ":" && digits.utf8.allSatisfy { 0x30...0x39 ~= $0 }
            && (digits.isEmpty || UInt16(digits) != nil)
    }

    private static func name(_ text: Substring) -> String? {
        let name = text.hasSuffix(".") ? text.dropLast() : text
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard name.utf8.count <= 253, labels.allSatisfy(isLabel), let last = labels.last,
            // A name that ends in a number is an IPv4 address, or nothing.
            last.utf8.first.map({ 0x30...0x39 ~= $0 }) == false
        else { return nil }
        return name.lowercased()
    }

    private static func isLabel(_ label: Substring) -> Bool {
        !label.isEmpty
            && label.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// The bytes of an address in its full form, without a zone.
    private static func address(
        _ text: Substring,
        _ family: SocketAddress.Family
    ) -> [UInt8]? {
        // A zero byte would end the text for the system.
        guard text.utf8.allSatisfy({ $0 != 0 }) else { return nil }
        return IPAddress.bytes(String(text), of: family)
    }
}

/// The names and addresses of this machine.
private enum LocalHostNames {
    /// The host name, its first label, and that under `.local`, where multicast DNS has it; in lower case.
    static let names: Set<String> = {
        guard let name = hostName()?.lowercased(), let label = name.split(separator: ".").first
        else { return [] }
        return [name, String(label), "\(label).local"]
    }()

    /// Whether it is an address of this machine; those that stand for any of its addresses are, too.
    static func has(address bytes: [UInt8]) -> Bool {
        let bytes = withoutMapping(bytes)
        if bytes.dropLast().allSatisfy({ $0 == 0 }), bytes.last ?? 0 <= (bytes.count == 4 ? 0 : 1) {
            return true
        }
        if bytes.count == 4, bytes[0] == 127 { return true }
        return NetworkInterface.all().contains { $0.address.addressBytes == bytes }
    }

    /// An IPv4 address that is written as one of IPv6, as IPv4.
    private static func withoutMapping(_ bytes: [UInt8]) -> [UInt8] {
        let isMapped =
            bytes.count == 16 && bytes.prefix(10).allSatisfy { $0 == 0 }
            && bytes[10...11].allSatisfy { $0 == 0xFF }
        return isMapped ? Array(bytes.suffix(4)) : bytes
    }
}
