internal import DivanCrypto

/// The peers that form one mesh, by the name that they have in common.
///
/// The name itself never leaves the process. Advertisements and paths have its `code`, a digest, so that strangers do
/// not read it and any character is allowed in it.
public struct MeshGroup: Hashable, Sendable {
    /// The name, by its bytes.
    private let bytes: [UInt8]

    /// Checks a name: 1 to 63 bytes, without control characters, `.`, `,` and `\`.
    ///
    /// - Throws: `MeshError.invalidGroup`.
    public init(_ name: String) throws(MeshError) {
        let bytes = Array(name.utf8)
        let isValid = bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F && !Self.forbidden.contains($0) }
        guard (1...MeshLimits.groupByteCount).contains(bytes.count), isValid else {
            throw .invalidGroup(name)
        }
        self.bytes = bytes
    }

    private static let forbidden = Array(#".,\"#.utf8)

    /// The name as text.
    public var name: String { String(decoding: bytes, as: UTF8.self) }

    /// Sixteen hexadecimal digits: the first eight bytes of SHA-256 of `divan-mesh` and the name.
    public var code: String {
        let digest = SHA256.digest(of: (Array("divan-mesh".utf8) + bytes).span)
        return Hex.encode(digest.span.extracting(..<8))
    }

    /// The DNS-SD subtype by which peers browse for each other.
    ///
    /// Avahi accepts only subtypes that begin with `_`.
    public var subtype: String { "_\(code)" }

    /// The path of the URL that a member calls; a listener answers 404 on the path of another group.
    public var path: String { "/mesh/\(code)" }
}
