import CDivanTLS
import DivanPlatform

/// One name of the subject alternative name extension.
///
/// Source: RFC 5280 §4.2.1.6; `tls-and-auth.md` §4 (which kinds an identity may carry).
public enum AlternativeName: Sendable, Hashable {
    /// `rfc822Name`: an email address.
    case email(String)
    /// `dNSName`: a host name, in ASCII for compatibility.
    case hostname(String)
    /// `uniformResourceIdentifier`: a URL.
    case url(String)
    /// `iPAddress`: the text of an IPv4 or IPv6 address; binary in the certificate.
    case ipAddress(String)
    /// `registeredID`: a dotted object identifier.
    case registeredID(String)

    /// The attribute for this name in the public API.
    public var attribute: String {
        switch self {
        case .email: "rfc822Name"
        case .hostname: "dNSName"
        case .url: "uniformResourceIdentifier"
        case .ipAddress: "iPAddress"
        case .registeredID: "registeredID"
        }
    }

    /// The name as text.
    public var value: String {
        switch self {
        case .email(let value), .hostname(let value), .url(let value), .ipAddress(let value),
            .registeredID(let value):
            value
        }
    }

    /// Reads an attribute of the public API; `nil` if its key names no alternative name.
    init?(attribute: String, value: String) {
        switch attribute {
        case "rfc822Name": self = .email(value)
        case "dNSName": self = .hostname(value)
        case "uniformResourceIdentifier": self = .url(value)
        case "iPAddress": self = .ipAddress(value)
        case "registeredID": self = .registeredID(value)
        default: return nil
        }
    }

    /// Reads a parsed name; `nil` for the kinds that identities do not carry.
    init?(_ name: UnsafeMutablePointer<GENERAL_NAME>) {
        var kind: Int32 = 0
        guard let value = GENERAL_NAME_get0_value(name, &kind) else { return nil }
        if kind == GEN_RID {
            self = .registeredID(objectIdentifierText(OpaquePointer(value)))
            return
        }
        // Directory names and the other kinds are not stored as strings.
        guard [GEN_EMAIL, GEN_DNS, GEN_URI, GEN_IPADD].contains(kind) else { return nil }
        let string = value.assumingMemoryBound(to: ASN1_STRING.self)
        let bytes = UnsafeBufferPointer(
            start: ASN1_STRING_get0_data(string),
            count: Int(ASN1_STRING_length(string))
        )
        switch kind {
        case GEN_EMAIL: self = .email(String(decoding: bytes, as: UTF8.self))
        case GEN_DNS: self = .hostname(String(decoding: bytes, as: UTF8.self))
        case GEN_URI: self = .url(String(decoding: bytes, as: UTF8.self))
        case GEN_IPADD:
            guard let text = IPAddress.text(Array(bytes)) else { return nil }
            self = .ipAddress(text)
        default: return nil
        }
    }

    /// Builds OpenSSL's form, which the caller owns; `nil` if the value does not fit its kind.
    func makeGeneralName() -> UnsafeMutablePointer<GENERAL_NAME>? {
        guard let name = GENERAL_NAME_new() else { return nil }
        let isSet =
            switch self {
            case .email(let text): setText(text, kind: GEN_EMAIL, of: name)
            case .hostname(let text): setText(text, kind: GEN_DNS, of: name)
            case .url(let text): setText(text, kind: GEN_URI, of: name)
            case .ipAddress(let text):
                IPAddress.bytes(text).map { setBytes($0, kind: GEN_IPADD, of: name) } ?? false
            case .registeredID(let text): setObject(text, of: name)
            }
        if isSet { return name }
        GENERAL_NAME_free(name)
        return nil
    }

    private func setText(
        _ text: String,
        kind: Int32,
        of name: UnsafeMutablePointer<GENERAL_NAME>
    ) -> Bool {
        // Couchbase Lite writes any bytes; a zero byte would end the name for other readers.
        let hasControls = text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
        guard !text.isEmpty, !hasControls else { return false }
        return setBytes(Array(text.utf8), kind: kind, of: name)
    }

    private func setBytes(
        _ bytes: [UInt8],
        kind: Int32,
        of name: UnsafeMutablePointer<GENERAL_NAME>
    ) -> Bool {
        let type = kind == GEN_IPADD ? V_ASN1_OCTET_STRING : V_ASN1_IA5STRING
        guard let string = ASN1_STRING_type_new(type) else { return false }
        guard ASN1_STRING_set(string, bytes, Int32(bytes.count)) == 1 else {
            ASN1_STRING_free(string)
            return false
        }
        GENERAL_NAME_set0_value(name, kind, string)
        return true
    }

    private func setObject(_ text: String, of name: UnsafeMutablePointer<GENERAL_NAME>) -> Bool {
        guard let object = OBJ_txt2obj(text, 1) else { return false }
        GENERAL_NAME_set0_value(name, GEN_RID, UnsafeMutableRawPointer(object))
        return true
    }
}
