/// A version of the protocol, by its number on the wire (RFC 8446 §4.2.1).
public enum TLSVersion: UInt16, Comparable, Sendable {
    /// TLS 1.2 (RFC 5246), the oldest supported version.
    case tls12 = 0x0303
    /// TLS 1.3 (RFC 8446).
    case tls13 = 0x0304

    /// Older versions come first.
    public static func < (a: TLSVersion, b: TLSVersion) -> Bool { a.rawValue < b.rawValue }
}
