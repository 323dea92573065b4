import CDivanTLS
import FoundationEssentials

/// An error that OpenSSL reports for one certificate of a chain.
struct CertificateChainError {
    let code: Int32
    let certificate: TLSCertificate?
}

/// OpenSSL's call-back in place of its own verification: 1 accepts, 0 refuses.
func verifyPeer(_ storeContext: OpaquePointer?, _: UnsafeMutableRawPointer?) -> Int32 {
    guard let storeContext, let session = session(of: storeContext) else { return 0 }
    let chain = presentedChain(storeContext)
    let problem = session.verify(chain, storeContext)
    // Errors that the application caused by inspecting a certificate are not failures of this handshake.
    OpenSSLFailure.clear()
    session.peerWasVerified(chain, problem)
    // The code determines the alert that the peer gets.
    X509_STORE_CTX_set_error(storeContext, problem?.verifyCode ?? X509_V_OK)
    return problem == nil ? 1 : 0
}

/// OpenSSL's call-back on a client when the server asks for a certificate: 1 continues.
func noteCertificateRequest(_ ssl: OpaquePointer?, _: UnsafeMutableRawPointer?) -> Int32 {
    TLSSession.of(ssl)?.certificateWasRequested()
    return 1
}

private func session(of storeContext: OpaquePointer) -> TLSSession? {
    let index = SSL_get_ex_data_X509_STORE_CTX_idx()
    guard let ssl = X509_STORE_CTX_get_ex_data(storeContext, index) else { return nil }
    return TLSSession.of(OpaquePointer(ssl))
}

/// The certificates as the peer sent them, leaf first.
private func presentedChain(_ storeContext: OpaquePointer) -> [TLSCertificate] {
    let presented = X509_STORE_CTX_get0_untrusted(storeContext)
    return (0..<divan_tls_stack_count(presented)).compactMap { index in
        divan_tls_stack_item(presented, index).flatMap { copy($0) }
    }
}

private func copy(_ certificate: OpaquePointer) -> TLSCertificate? {
    guard X509_up_ref(certificate) == 1 else { return nil }
    return TLSCertificate(CertificateHandle(adopting: certificate))
}

extension TLSSession {
    /// Decides about the presented chain; `nil` accepts it.
    fileprivate func verify(
        _ chain: [TLSCertificate],
        _ storeContext: OpaquePointer
    ) -> CertificateProblem? {
        switch context.verification {
        case .server(.systemRoots), .server(.roots):
            verifyPath(chain, storeContext)
        case .client(.roots(let roots)):
            verifyPath(chain, storeContext, trusting: roots)
        case .server(.peers(let roots, let accepts)):
            verifyPath(chain, storeContext, trusting: roots, forgiving: Self.wrongNames)
                ?? (accepts(chain) ? nil : .refusedByCallback)
        case .server(.pinned(let pin)):
            if chain.first?.matches(pin: pin) == true {
                nil
            } else {
                chain.contains { $0.matches(pin: pin) }
                    ? pinProblem(chain, storeContext) : .notPinned
            }
        case .server(.selfSignedOnly):
            chain.count == 1 && chain[0].isSelfSigned
                ? nil : .notSelfSigned(certificateCount: chain.count)
        case .server(.callback(let accepts)), .client(.callback(let accepts)):
            accepts(chain) ? nil : .refusedByCallback
        case .client(.none):
            nil
        }
    }

    /// Why the pinned certificate, the only one that is trusted, does not cover the leaf; `nil` if it does.
    ///
    /// Anybody can present a certificate that he has seen: a pin covers only what that certificate has signed.
    private func pinProblem(
        _ chain: [TLSCertificate],
        _ storeContext: OpaquePointer
    ) -> CertificateProblem? {
        let isFine = verify(storeContext)
        complaints.removeAll { Self.forgivenByPin.contains($0.code) }
        let problems = complaints.map { problem($0, chain) }
        guard let worst = problems.min(by: { $0.rank < $1.rank }) else {
            return isFine ? nil : .invalid(code: X509_STORE_CTX_get_error(storeContext))
        }
        switch worst {
        case .unknownRoot, .invalid(X509_V_ERR_CERT_SIGNATURE_FAILURE): return .notPinned
        default: return worst
        }
    }

    /// Checks that a pin does not require: dates, names, purposes, and key lengths.
    private static let forgivenByPin: Set<Int32> = [
        X509_V_ERR_CERT_HAS_EXPIRED, X509_V_ERR_CERT_NOT_YET_VALID,
        X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH,
        X509_V_ERR_INVALID_PURPOSE, X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL,
    ]

    /// A certificate that is itself trusted may have the other purpose: of a peer with one identity for both sides.
    private func verifyPath(
        _ chain: [TLSCertificate],
        _ storeContext: OpaquePointer,
        trusting roots: [TLSCertificate],
        forgiving codes: Set<Int32> = []
    ) -> CertificateProblem? {
        let isTrustedItself = chain.first.map(roots.contains) ?? false
        let further: Set<Int32> = isTrustedItself ? [X509_V_ERR_INVALID_PURPOSE] : []
        return verifyPath(chain, storeContext, forgiving: codes.union(further))
    }

    /// Names of peers that are identified otherwise.
    private static let wrongNames: Set<Int32> = [
        X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH,
    ]

    /// Makes OpenSSL check the path to a root, purpose, validity and name; some errors may be forgiven to the leaf.
    private func verifyPath(
        _ chain: [TLSCertificate],
        _ storeContext: OpaquePointer,
        forgiving codes: Set<Int32> = []
    ) -> CertificateProblem? {
        let isFine = verify(storeContext)
        complaints.removeAll { codes.contains($0.code) && $0.certificate == chain.first }
        let problems = complaints.map { problem($0, chain) }
        if let worst = problems.min(by: { $0.rank < $1.rank }) { return worst }
        return isFine ? nil : .invalid(code: X509_STORE_CTX_get_error(storeContext))
    }

    /// Makes OpenSSL check the path, and collects its errors; false if it could not check.
    ///
    /// It continues after each error, because the order in which LiteCore ranks them (`tls-and-auth.md` §2: root,
    /// revoked, expired, name, other) is not the order of the checks.
    private func verify(_ storeContext: OpaquePointer) -> Bool {
        complaints = []
        X509_STORE_CTX_set_verify_cb(storeContext) { isFine, storeContext in
            guard isFine != 1, let storeContext else { return isFine }
            let certificate = X509_STORE_CTX_get_current_cert(storeContext).flatMap { copy($0) }
            let code = X509_STORE_CTX_get_error(storeContext)
            let complaint = CertificateChainError(code: code, certificate: certificate)
            guard let session = session(of: storeContext) else { return 0 }
            session.complaints.append(complaint)
            return 1
        }
        let isFine = X509_verify_cert(storeContext) == 1
        OpenSSLFailure.clear()
        return isFine
    }

    private func problem(
        _ complaint: CertificateChainError,
        _ chain: [TLSCertificate]
    ) -> CertificateProblem {
        let certificate = complaint.certificate ?? chain.first
        switch complaint.code {
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_CHAIN_TOO_LONG,
            X509_V_ERR_CERT_UNTRUSTED:
            return .unknownRoot(issuer: certificate?.issuer ?? "")
        case X509_V_ERR_CERT_REVOKED:
            return .revoked
        case X509_V_ERR_CERT_HAS_EXPIRED:
            return .expired(notAfter: certificate?.notAfter ?? .distantPast)
        case X509_V_ERR_CERT_NOT_YET_VALID:
            return .notYetValid(notBefore: certificate?.notBefore ?? .distantFuture)
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            let names = chain.first.map(\.claimedNames) ?? []
            return .wrongName(expected: serverName ?? "", claimed: names)
        default:
            return .invalid(code: complaint.code)
        }
    }
}

extension TLSCertificate {
    /// The host names and addresses that the certificate is for; the common name if it has none.
    fileprivate var claimedNames: [String] {
        let names = alternativeNames.compactMap { name in
            switch name {
            case .hostname(let text), .ipAddress(let text): text
            case .email, .url, .registeredID: nil
            }
        }
        return names.isEmpty ? commonName.map { [$0] } ?? [] : names
    }
}
