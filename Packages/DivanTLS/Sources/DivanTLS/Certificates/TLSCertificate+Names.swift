import CDivanTLS

extension TLSCertificate {
    /// One part of a subject or issuer, such as `CN` and `jukebox`.
    public struct NameAttribute: Sendable, Hashable {
        /// OpenSSL's short name of the type (`CN`, `O`, `C` …), or the dotted object identifier.
        public let type: String
        /// The value as text.
        public let value: String
    }

    /// The subject: `CN=jukebox, O=Divan`; a comma in a value is written `\,`.
    public var subject: String { Self.text(subjectAttributes) }

    /// The issuer, in the same form as `subject`.
    public var issuer: String {
        Self.text(Self.attributes(X509_get_issuer_name(handle.pointer)))
    }

    /// The parts of the subject, in the certificate's order.
    public var subjectAttributes: [NameAttribute] {
        Self.attributes(X509_get_subject_name(handle.pointer))
    }

    /// The subject's first common name.
    public var commonName: String? { subjectAttributes.first { $0.type == "CN" }?.value }

    /// The names of known kinds in the subject alternative name extension, in order.
    public var alternativeNames: [AlternativeName] {
        let found = X509_get_ext_d2i(handle.pointer, NID_subject_alt_name, nil, nil)
        guard let found else { return [] }
        let names = OpaquePointer(found)
        defer { GENERAL_NAMES_free(names) }
        return (0..<divan_tls_names_count(names)).compactMap { index in
            divan_tls_names_item(names, index).flatMap { AlternativeName($0) }
        }
    }

    private static func attributes(_ name: OpaquePointer?) -> [NameAttribute] {
        (0..<X509_NAME_entry_count(name)).compactMap { index in
            let entry = X509_NAME_get_entry(name, index)
            guard let object = X509_NAME_ENTRY_get_object(entry) else { return nil }
            var utf8: UnsafeMutablePointer<UInt8>?
            let byteCount = ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(entry))
            guard byteCount >= 0, let utf8 else { return nil }
            defer { CRYPTO_free(utf8, #file, #line) }
            let bytes = UnsafeBufferPointer(start: utf8, count: Int(byteCount))
            return NameAttribute(
                type: typeName(object),
                value: String(decoding: bytes, as: UTF8.self)
            )
        }
    }

    private static func typeName(_ object: OpaquePointer) -> String {
        let nid = OBJ_obj2nid(object)
        if nid != NID_undef, let name = OBJ_nid2sn(nid) { return String(cString: name) }
        return objectIdentifierText(object)
    }

    private static func text(_ attributes: [NameAttribute]) -> String {
        attributes.map { attribute in
            "\(attribute.type)=\(attribute.value.replacing(",", with: #"\,"#))"
        }.joined(separator: ", ")
    }
}

/// The dotted form of an object identifier; truncated to 127 characters.
func objectIdentifierText(_ object: OpaquePointer) -> String {
    var characters = [CChar](repeating: 0, count: 128)
    OBJ_obj2txt(&characters, Int32(characters.count), object, 1)
    let bytes = characters.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }
    return String(decoding: bytes, as: UTF8.self)
}
