import CDivanTLS

/// Settings shared by many sessions: versions, ciphers, the local certificate, trust.
///
/// Create a context for each replicator configuration or listener. It supports TLS 1.2 and 1.3 with forward-secret
/// AEAD suites, and resumption if requested; no renegotiation, compression or early data.
///
/// `@unchecked Sendable` is correct because the SSL_CTX is set up in `init` and only read afterwards; OpenSSL
/// counts its references atomically.
///
/// Source: `tls-and-auth.md` §1.
public final class TLSContext: @unchecked Sendable {
    /// The role of the sessions in the handshake.
    public enum Role: Sendable {
        /// Sends the first message and verifies the server.
        case client
        /// Answers, and may verify the client.
        case server
    }

    /// The settings that both roles need.
    private struct Settings {
        let versions: ClosedRange<TLSVersion>
        let applicationProtocols: [String]
        let resumesSessions: Bool
    }

    /// How the peer's certificate is verified.
    enum PeerVerification: Sendable {
        case server(ServerTrust)
        case client(ClientCertificatePolicy)
    }

    /// The role of the sessions in the handshake.
    public let role: Role

    let pointer: OpaquePointer
    let number = ContextNumber()
    let verification: PeerVerification
    let hasCredential: Bool
    let applicationProtocols: ApplicationProtocols

    /// Creates a client's context.
    ///
    /// - Throws: `TLSError.Reason.credential` if OpenSSL rejects the certificate or key, `applicationProtocolInvalid`
    ///   for an empty or long name.
    public static func client(
        _ configuration: ClientTLSConfiguration
    ) throws(TLSError) -> TLSContext {
        let verification = PeerVerification.server(configuration.serverTrust)
        let settings = Settings(
            versions: configuration.versions,
            applicationProtocols: configuration.applicationProtocols,
            resumesSessions: configuration.resumesSessions
        )
        return try TLSContext(.client, verification, configuration.credential, settings)
    }

    /// Creates a server's context.
    ///
    /// - Throws: As `client`.
    public static func server(
        _ configuration: ServerTLSConfiguration
    ) throws(TLSError) -> TLSContext {
        let verification = PeerVerification.client(configuration.clientCertificates)
        var resumesSessions = configuration.resumesSessions
        if case .none = configuration.clientCertificates {} else { resumesSessions = false }
        let settings = Settings(
            versions: configuration.versions,
            applicationProtocols: configuration.applicationProtocols,
            resumesSessions: resumesSessions
        )
        return try TLSContext(.server, verification, configuration.credential, settings)
    }

    private init(
        _ role: Role,
        _ verification: PeerVerification,
        _ credential: TLSCredential?,
        _ settings: Settings
    ) throws(TLSError) {
        do {
            applicationProtocols = try ApplicationProtocols(settings.applicationProtocols)
        } catch {
            let reason = TLSError.Reason.applicationProtocolInvalid(error.name)
            throw TLSError(reason, role: role, serverName: nil)
        }
        OpenSSLFailure.clear()
        let method = role == .client ? TLS_client_method() : TLS_server_method()
        guard let pointer = SSL_CTX_new(method) else {
            throw TLSError(.setup(code: OpenSSLFailure.take()), role: role, serverName: nil)
        }
        self.role = role
        self.pointer = pointer
        self.verification = verification
        hasCredential = credential != nil
        try setUpProtocol(settings)
        try setUpApplicationProtocols()
        try setUpVerification()
        if let credential { try present(credential) }
    }

    deinit {
        SSL_CTX_free(pointer)
    }

    private func setUpProtocol(_ settings: Settings) throws(TLSError) {
        // AES-128-GCM first: the fastest on processors with AES instructions; a peer without them puts ChaCha20 first
        // in its own list, and gets it.
        let ciphers = "ECDHE+AES128+AESGCM:ECDHE+AESGCM:ECDHE+CHACHA20"
        let suites =
            "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_256_GCM_SHA384"
        let (oldest, newest) = (settings.versions.lowerBound, settings.versions.upperBound)
        let (first, last) = (Int32(oldest.rawValue), Int32(newest.rawValue))
        try require(divan_tls_set_versions(pointer, first, last))
        try require(SSL_CTX_set_cipher_list(pointer, ciphers))
        try require(SSL_CTX_set_ciphersuites(pointer, suites))
        try require(divan_tls_set_groups(pointer, "X25519:P-256:P-384"))
        SSL_CTX_set_options(pointer, divan_tls_options(settings.resumesSessions ? 1 : 0))
        // OpenSSL generates the tickets' key with the context, at random.
        try require(SSL_CTX_set_num_tickets(pointer, settings.resumesSessions ? 1 : 0))
        SSL_CTX_set_timeout(pointer, TLSLimits.resumptionSeconds)
        divan_tls_set_modes(pointer, TLSLimits.presentedByteCount)
        guard role == .client, settings.resumesSessions else { return }
        divan_tls_report_sessions(pointer)
        SSL_CTX_sess_set_new_cb(pointer, keepResumption)
    }

    private func setUpApplicationProtocols() throws(TLSError) {
        let list = applicationProtocols.encoded
        guard !list.isEmpty else { return }
        switch role {
        case .client:
            // Unlike its siblings this function returns 0 on success.
            try require(SSL_CTX_set_alpn_protos(pointer, list, UInt32(list.count)) == 0 ? 1 : 0)
        case .server: SSL_CTX_set_alpn_select_cb(pointer, chooseProtocol, nil)
        }
    }

    private func setUpVerification() throws(TLSError) {
        switch verification {
        case .server(let trust):
            SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
            switch trust {
            case .systemRoots: trustSystemRoots()
            case .roots(let roots), .peers(let roots, _): try self.trust(roots)
            case .pinned(let pin): try self.trust([pin])
            case .selfSignedOnly, .callback: break
            }
            SSL_CTX_set_cert_cb(pointer, noteCertificateRequest, nil)
        case .client(.none):
            SSL_CTX_set_verify(pointer, SSL_VERIFY_NONE, nil)
        case .client(let policy):
            let mode = SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT
            SSL_CTX_set_verify(pointer, mode, nil)
            if case .roots(let roots) = policy { try self.trust(roots) }
        }
        SSL_CTX_set_verify_depth(pointer, TLSLimits.chainDepth)
        SSL_CTX_set_cert_verify_callback(pointer, verifyPeer, nil)
    }

    private func trustSystemRoots() {
        let store = SSL_CTX_get_cert_store(pointer)
        // Either may be absent; if both are, every server is refused as unknown.
        X509_STORE_set_default_paths(store)
        X509_STORE_load_path(store, "/etc/ssl/certs")
        OpenSSLFailure.clear()
    }

    private func trust(_ roots: [TLSCertificate]) throws(TLSError) {
        let store = SSL_CTX_get_cert_store(pointer)
        // A root here is anything that the application trusts, even an intermediate or a leaf.
        try require(X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN)))
        for root in roots {
            try require(X509_STORE_add_cert(store, root.handle.pointer))
        }
    }

    private func present(_ credential: TLSCredential) throws(TLSError) {
        let key: KeyHandle
        do {
            key = try KeyHandle(credential.key)
        } catch {
            throw TLSError(.credential(code: 0), role: role, serverName: nil)
        }
        // This side does not judge its own certificate: a peer that pinned it accepts even SHA-1.
        divan_tls_present_any_digest(pointer)
        try requireCredential(SSL_CTX_use_certificate(pointer, credential.leaf.handle.pointer))
        try requireCredential(SSL_CTX_use_PrivateKey(pointer, key.pointer))
        for certificate in credential.certificates.dropFirst() {
            let added = divan_tls_add_chain_certificate(pointer, certificate.handle.pointer)
            try requireCredential(added)
        }
    }

    private func require(_ status: Int32) throws(TLSError) {
        guard status == 1 else {
            throw TLSError(.setup(code: OpenSSLFailure.take()), role: role, serverName: nil)
        }
    }

    private func requireCredential(_ status: Int32) throws(TLSError) {
        guard status == 1 else {
            throw TLSError(.credential(code: OpenSSLFailure.take()), role: role, serverName: nil)
        }
    }
}
