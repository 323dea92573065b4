/// A kind of DNS-SD service, which may be narrowed to a subtype.
///
/// Source: RFC 6763 §7.1 (subtypes), RFC 6335 §5.1 (names of at most 15 characters).
public struct ServiceType: Hashable, Sendable {
    /// The listeners of Divan, `_divan._tcp`; not the type of Couchbase's own multi-peer sync.
    public static let listener = ServiceType("_divan._tcp", subtype: nil)

    /// The name, such as `_divan._tcp`.
    public let name: String
    /// The subtype, such as `_1f2e3d4c`; `nil` for all services with the name.
    public let subtype: String?

    private init(_ name: String, subtype: String?) {
        self.name = name
        self.subtype = subtype
    }

    /// The peers of one mesh, `_divan-mesh._tcp`.
    ///
    /// Avahi accepts a subtype only if it begins with `_` and has at least three characters. This type also requires
    /// letters, digits, `-` and `_`, which need no escaping, and at most `DiscoveryLimits.nameByteCount` of them.
    ///
    /// - Throws: `DiscoveryError.invalidSubtype`.
    public static func mesh(subtype: String) throws(DiscoveryError) -> ServiceType {
        let isPlain = subtype.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isPlain, subtype.utf8.first == UInt8(ascii: "_"),
            (3...DiscoveryLimits.nameByteCount).contains(subtype.utf8.count)
        else { throw .invalidSubtype(subtype) }
        return ServiceType("_divan-mesh._tcp", subtype: subtype)
    }

    /// The subtype with the type that it belongs to, such as `_1f2e3d4c._sub._divan-mesh._tcp`.
    var fullSubtype: String? { subtype.map { "\($0)._sub.\(name)" } }

    /// Whether a search for `wanted` finds a service of this type.
    func isFound(by wanted: ServiceType) -> Bool {
        name == wanted.name && (wanted.subtype == nil || subtype == wanted.subtype)
    }
}
