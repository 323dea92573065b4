import CDivanTLS
import DivanCrypto
import FoundationEssentials

/// Makes X.509 v3 certificates as specified in `tls-and-auth.md` §4, plus ExtendedKeyUsage.
struct CertificateSigner {
    let template: CertificateTemplate
    let key: PrivateKey
    /// Signs the certificate; `nil` for a self-signed one.
    let issuer: TLSCredential?

    /// Fills and signs one certificate.
    func makeCertificate() throws(CredentialError) -> TLSCertificate {
        try checkValidity()
        OpenSSLFailure.clear()
        guard let pointer = X509_new() else { throw libraryError() }
        let certificate = CertificateHandle(adopting: pointer)
        let subjectKey = try KeyHandle(key)
        let signingKey = try issuer.map { issuer throws(CredentialError) in
            try KeyHandle(issuer.key)
        }

        try require(X509_set_version(pointer, Int(X509_VERSION_3)))
        try setSerialNumber(of: pointer)
        try setValidity(of: pointer)
        try setSubject(of: pointer)
        let issuerName = X509_get_subject_name(issuer?.leaf.handle.pointer ?? pointer)
        try require(X509_set_issuer_name(pointer, issuerName))
        try require(X509_set_pubkey(pointer, subjectKey.pointer))
        try addExtensions(to: pointer)
        try addAlternativeNames(to: pointer)
        let signature = X509_sign(pointer, (signingKey ?? subjectKey).pointer, EVP_sha256())
        try require(signature > 0 ? 1 : 0)
        return TLSCertificate(certificate)
    }

    /// Copies a certificate and signs it with the template's serial number and validity.
    func makeRenewal(of certificate: TLSCertificate) throws(CredentialError) -> TLSCertificate {
        try checkValidity()
        OpenSSLFailure.clear()
        guard let pointer = X509_dup(certificate.handle.pointer) else { throw libraryError() }
        let copy = CertificateHandle(adopting: pointer)
        let signingKey = try KeyHandle(issuer?.key ?? key)
        try setSerialNumber(of: pointer)
        try setValidity(of: pointer)
        if issuer == nil { removeAuthorityKey(of: pointer) }
        let signature = X509_sign(pointer, signingKey.pointer, EVP_sha256())
        try require(signature > 0 ? 1 : 0)
        return TLSCertificate(copy)
    }

    /// Removes the authority key identifier, which a self-signed certificate does not need.
    ///
    /// It may contain the old serial number, with which the renewal would not be its own issuer.
    private func removeAuthorityKey(of certificate: OpaquePointer) {
        let place = X509_get_ext_by_NID(certificate, NID_authority_key_identifier, -1)
        guard place >= 0, let removed = X509_delete_ext(certificate, place) else { return }
        X509_EXTENSION_free(removed)
    }

    private func checkValidity() throws(CredentialError) {
        guard template.notAfter > template.notBefore else {
            throw CredentialError(
                .emptyValidity(notBefore: template.notBefore, notAfter: template.notAfter)
            )
        }
    }

    /// Milliseconds since 1970, as the sheet specifies.
    private func setSerialNumber(of certificate: OpaquePointer) throws(CredentialError) {
        let milliseconds = template.now.timeIntervalSince1970 * 1_000
        let serial = UInt64(exactly: milliseconds.rounded()) ?? 1
        try require(ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), max(1, serial)))
    }

    private func setValidity(of certificate: OpaquePointer) throws(CredentialError) {
        for (field, date) in [
            (X509_getm_notBefore(certificate), template.notBefore),
            (X509_getm_notAfter(certificate), template.notAfter),
        ] {
            let seconds = Int(exactly: date.timeIntervalSince1970.rounded(.down))
            guard let seconds, ASN1_TIME_set(field, seconds) != nil else {
                throw CredentialError(
                    .emptyValidity(notBefore: template.notBefore, notAfter: template.notAfter)
                )
            }
        }
    }

    /// The subject's attribute names in the sheet's order, which is their order in the subject.
    private static let subjectAttributes = [
        "CN", "pseudonym", "GN", "SN", "O", "OU", "postalAddress", "L", "postalCode", "ST", "C",
    ]

    /// The longest value of an attribute, as in Couchbase Lite's library.
    private static let attributeByteCount = 255

    private func setSubject(of certificate: OpaquePointer) throws(CredentialError) {
        guard template.attributes["CN"]?.isEmpty == false else {
            throw CredentialError(.missingCommonName)
        }
        let name = X509_get_subject_name(certificate)
        for attribute in Self.subjectAttributes {
            guard let value = template.attributes[attribute] else { continue }
            let utf8 = Array(value.utf8)
            let nid =
                OBJ_sn2nid(attribute) != NID_undef ? OBJ_sn2nid(attribute) : OBJ_ln2nid(attribute)
            func add(as type: Int32) -> Bool {
                X509_NAME_add_entry_by_NID(name, nid, type, utf8, Int32(utf8.count), -1, 0) == 1
            }
            // Like Couchbase Lite, which does not apply the lengths of X.520, such as two letters for a country.
            guard !utf8.isEmpty, utf8.count <= Self.attributeByteCount,
                add(as: MBSTRING_UTF8) || add(as: V_ASN1_UTF8STRING)
            else {
                OpenSSLFailure.clear()
                throw CredentialError(.invalidAttribute(name: attribute, value: value))
            }
        }
    }

    private func addExtensions(to certificate: OpaquePointer) throws(CredentialError) {
        let isServer = template.usages.contains(.serverAuth)
        let isClient = template.usages.contains(.clientAuth)
        var keyUsages = ["digitalSignature"]
        // RFC 5480 §3: only RSA keys encrypt other keys.
        if isServer, case .rsa = key.kind { keyUsages.append("keyEncipherment") }
        if template.isAuthority { keyUsages += ["keyCertSign", "cRLSign"] }
        let basicConstraints = template.isAuthority ? "critical,CA:TRUE" : "CA:FALSE"
        // "always": otherwise OpenSSL omits the identifier from self-signed certificates.
        let authorityKey = issuer == nil ? "keyid:always" : "keyid"
        var extensions = [
            (NID_basic_constraints, basicConstraints),
            (NID_subject_key_identifier, "hash"),
            (NID_authority_key_identifier, authorityKey),
            (NID_key_usage, "critical," + keyUsages.joined(separator: ",")),
        ]
        if isServer || isClient {
            let netscape = (isServer ? ["server"] : []) + (isClient ? ["client"] : [])
            let extended = (isServer ? ["serverAuth"] : []) + (isClient ? ["clientAuth"] : [])
            extensions.append((NID_netscape_cert_type, netscape.joined(separator: ",")))
            extensions.append((NID_ext_key_usage, extended.joined(separator: ",")))
        }
        let signer = issuer?.leaf.handle.pointer ?? certificate
        for (nid, value) in extensions {
            try require(divan_tls_add_extension(certificate, signer, nid, value))
        }
    }

    private func addAlternativeNames(to certificate: OpaquePointer) throws(CredentialError) {
        var names = template.alternativeNames
        for (attribute, value) in template.attributes.sorted(by: { $0.key < $1.key }) {
            if let name = AlternativeName(attribute: attribute, value: value) {
                names.append(name)
            } else if !Self.subjectAttributes.contains(attribute) {
                throw CredentialError(.unknownAttribute(attribute))
            }
        }
        guard !names.isEmpty else { return }
        guard let list = divan_tls_names_new() else { throw libraryError() }
        defer { GENERAL_NAMES_free(list) }
        for name in names {
            guard let general = name.makeGeneralName() else {
                OpenSSLFailure.clear()
                throw CredentialError(.invalidAttribute(name: name.attribute, value: name.value))
            }
            guard divan_tls_names_push(list, general) == 1 else {
                GENERAL_NAME_free(general)
                throw libraryError()
            }
        }
        let bytes = UnsafeMutableRawPointer(list)
        try require(X509_add1_ext_i2d(certificate, NID_subject_alt_name, bytes, 0, 0))
    }

    private func require(_ status: Int32) throws(CredentialError) {
        guard status == 1 else { throw libraryError() }
    }

    private func libraryError() -> CredentialError {
        CredentialError(.library(step: .signing, code: OpenSSLFailure.take()))
    }
}
