/// Where a peer accepts connections: `host:port`, as in a URL.
///
/// Addresses come from strangers. Only printable ASCII without the characters that delimit the parts of a URL is
/// accepted, so that an address cannot smuggle a path, a user or a header into the URL that is made of it. An IPv6
/// address is in square brackets. The host is neither resolved nor known to exist. Compared by bytes.
public struct MeshAddress: Hashable, Sendable {
    /// The text as ASCII bytes.
    public let bytes: [UInt8]
    private let hostByteCount: Int

    /// Checks an address.
    ///
    /// - Throws: `MeshError.invalidAddress`.
    public init(_ bytes: some Sequence<UInt8>) throws(MeshError) {
        let bytes = Array(bytes)
        guard bytes.count <= MeshLimits.addressByteCount,
            let colon = bytes.lastIndex(of: UInt8(ascii: ":")),
            Self.isHost(bytes[..<colon]), Self.isPort(bytes[(colon + 1)...])
        else { throw .invalidAddress(bytes) }
        self.bytes = bytes
        hostByteCount = colon
    }

    /// Checks an address that a person wrote.
    ///
    /// - Throws: `MeshError.invalidAddress`.
    public init(_ text: String) throws(MeshError) {
        try self.init(text.utf8)
    }

    /// The address without the port.
    var host: ArraySlice<UInt8> { bytes[..<hostByteCount] }

    private static func isHost(_ host: ArraySlice<UInt8>) -> Bool {
        let isBracketed = host.first == UInt8(ascii: "[") && host.last == UInt8(ascii: "]")
        let name = isBracketed ? host.dropFirst().dropLast() : host
        return !name.isEmpty
            && name.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
                    UInt8(ascii: "_"):
                    true
                // A zone (`fe80::1%eth0`) is percent-encoded in a URL.
                case UInt8(ascii: ":"), UInt8(ascii: "%"): isBracketed
                default: false
                }
            }
    }

    private static func isPort(_ digits: ArraySlice<UInt8>) -> Bool {
        guard (1...5).contains(digits.count), digits.first != UInt8(ascii: "0"),
            let port = Int(String(decoding: digits, as: UTF8.self))
        else { return false }
        return (1...65_535).contains(port)
    }
}

extension MeshAddress: CustomStringConvertible {
    /// The text.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}
