/// The name or address under which a request addresses this server, its `Host` field.
///
/// Web pages make requests in their reader's browser, to servers that only that browser may be able to
/// reach. Two things reveal them: the `Origin` that browsers add, which is not this server's, and a name that
/// its owner has pointed at this server (DNS rebinding), so that the browser takes the server for a part of
/// the page.
///
/// Source: the Fetch standard, §3.2; RFC 6761, RFC 6762, RFC 8375.
public struct HostField: Sendable {
    private let text: String

    /// The field as received, including a port.
    public init(_ text: String) {
        self.text = text
    }

    /// Whether an `Origin` is this server itself.
    ///
    /// With TLS only a page that was loaded over TLS is: anybody between a browser and this name can forge a
    /// page without TLS. Without TLS both are, as a proxy may terminate TLS before this server.
    public func isOrigin(_ origin: String, isSecure: Bool) -> Bool {
        let lower = origin.lowercased()
        let schemes = isSecure ? ["https://"] : ["http://", "https://"]
        return schemes.contains { scheme in
            (scheme + text.lowercased()).utf8.elementsEqual(lower.utf8)
        }
    }

    /// Whether it is an address, one of `names`, or a name that no stranger can own: without a dot,
    /// or of a local network.
    public func isLocal(or names: [String] = []) -> Bool {
        // An IPv6 address.
        guard !text.hasPrefix("[") else { return true }
        var name = text.prefix { $0 != ":" }
        if name.hasSuffix(".") { name = name.dropLast() }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        // No other dot may directly precede the one that ends a full name.
        guard labels.count == 1 || labels.last?.isEmpty == false else { return false }
        // A last label of digits makes an IPv4 address, or is invalid.
        guard labels.count > 1, labels.last?.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) == false else {
            return true
        }
        let lower = name.lowercased()
        let reserved = [".localhost", ".local", ".internal", ".home.arpa"]
        return reserved.contains(where: lower.hasSuffix)
            || names.contains { $0.lowercased().utf8.elementsEqual(lower.utf8) }
    }
}
