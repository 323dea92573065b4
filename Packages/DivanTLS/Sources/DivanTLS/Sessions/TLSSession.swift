import CDivanTLS
import DivanPlatform

/// One TLS connection without a socket: ciphertext in, plaintext out, and the reverse.
///
/// Pass all received bytes to `receive`, and after every call, also after an error, send what `takeOutput` returns:
/// after an error it contains the alert for the peer. A client has output at once. The result depends only on the
/// bytes, never on how they were split.
///
/// Use it on one thread at a time. It buffers at most one partial record (16 KiB), and nothing when idle. OpenSSL
/// uses its own clock (validity of certificates) and its own randomness.
///
/// Source: RFC 8446, RFC 5246; `tls-and-auth.md`.
public final class TLSSession {
    /// The progress of a session.
    public enum State: Sendable {
        /// Neither side can send data yet.
        case handshaking
        /// Data can be sent.
        case open
        /// The peer sent close_notify, or the session failed; nothing more will be read.
        case closed
    }

    /// The progress of the session; `receive` advances it.
    public private(set) var state = State.handshaking
    /// The peer's certificates, leaf first, even if they were rejected; empty if it presented none.
    ///
    /// A resumed session has the certificates of the session that it resumes.
    public private(set) var peerCertificates: [TLSCertificate] = []
    /// On a client, the state that a later session needs to resume this session; `nil` if there is none.
    ///
    /// With TLS 1.3 it arrives with the server's first data, with TLS 1.2 at the end of the handshake; a newer
    /// state replaces it. The context must have `resumesSessions` set.
    public private(set) var resumption: TLSResumption?

    let context: TLSContext
    let serverName: String?
    var complaints: [CertificateChainError] = []

    private let ssl: OpaquePointer
    private let wire = TLSWire()
    private var trace: HandshakeTrace
    private var failure: TLSError?
    private var isSendingClosed = false
    private var ticketByteCount = 0  // the output behind the handshake
    private var resumed: TLSResumption?  // what this session tries to go on with

    /// Starts a session; a client's first message is ready in `takeOutput`.
    ///
    /// `serverName` is the host of the URL, a name or an IP address; a name is sent as SNI. Servers ignore it.
    ///
    /// With `resumption` a client resumes an earlier session if the server agrees, which `isResumed` reports; a
    /// value of another context or server name is ignored.
    ///
    /// - Throws: `TLSError` if the trust mode compares names and there is no name to compare.
    public init(
        _ context: TLSContext,
        serverName: String? = nil,
        resuming resumption: TLSResumption? = nil
    ) throws(TLSError) {
        OpenSSLFailure.clear()
        guard let ssl = SSL_new(context.pointer) else {
            throw TLSError(
                .setup(code: OpenSSLFailure.take()),
                role: context.role,
                serverName: serverName
            )
        }
        self.context = context
        self.serverName = context.role == .client ? serverName : nil
        self.ssl = ssl
        trace = HandshakeTrace(role: context.role, hasCredential: context.hasCredential)
        guard let bio = wire.makeBIO() else { throw error(.setup(code: OpenSSLFailure.take())) }
        SSL_set_bio(ssl, bio, bio)
        SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
        switch context.role {
        case .client:
            SSL_set_connect_state(ssl)
            try setServerName()
            if let resumption { resume(resumption) }
            try handshake()
        case .server:
            SSL_set_accept_state(ssl)
        }
    }

    deinit {
        SSL_free(ssl)
    }

    /// Consumes all of the ciphertext, and appends the plaintext that it completes.
    ///
    /// `plaintext` grows by at most the size of `ciphertext` plus one record; keep the array and its capacity from call
    /// to call.
    ///
    /// - Throws: `TLSError` if the session is over; the plaintext before the failure is appended nevertheless. Every
    ///   later call throws the same error.
    public func receive(
        _ ciphertext: Span<UInt8>,
        appendingTo plaintext: inout [UInt8]
    ) throws(TLSError) {
        if let failure { throw failure }
        guard state != .closed else { return }
        trace.receive(ciphertext)
        try ciphertext.withUnsafeBytes { bytes throws(TLSError) in
            wire.input = bytes
            defer { wire.input = UnsafeRawBufferPointer(start: nil, count: 0) }
            if state == .handshaking { try handshake() }
            if state == .open { try readRecords(bytes.count, appendingTo: &plaintext) }
        }
    }

    /// Records that the connection has ended: no more bytes will arrive.
    ///
    /// - Throws: `TLSError` unless the peer sent close_notify before; without it, data may be missing.
    public func receiveEnd() throws(TLSError) {
        if let failure { throw failure }
        switch state {
        case .handshaking: throw fail(.closedDuringHandshake)
        case .open: throw fail(.truncated)
        case .closed: return
        }
    }

    /// Encrypts plaintext for `takeOutput`, in records of 16 KiB and a last, shorter record.
    ///
    /// Combine small messages first: each record costs as much as encrypting a few kilobytes.
    ///
    /// - Throws: `TLSError.Reason.notOpen` before the handshake is over and after `close`.
    public func send(_ plaintext: Span<UInt8>) throws(TLSError) {
        if let failure { throw failure }
        guard state != .handshaking, !isSendingClosed else { throw error(.notOpen) }
        var offset = 0
        while offset < plaintext.count {
            // SSL_write takes an Int32; a gigabyte at a time fits.
            let end = min(plaintext.count, offset + 1 << 30)
            OpenSSLFailure.clear()
            let result = plaintext.extracting(offset..<end).withUnsafeBytes { bytes in
                SSL_write(ssl, bytes.baseAddress, Int32(bytes.count))
            }
            guard result > 0 else { throw fail(.record(code: OpenSSLFailure.take())) }
            offset += Int(result)
        }
    }

    /// Sends close_notify once; data that the peer still sends can be received as before.
    public func close() {
        guard failure == nil, state != .handshaking, !isSendingClosed else { return }
        isSendingClosed = true
        OpenSSLFailure.clear()
        SSL_shutdown(ssl)
        OpenSSLFailure.clear()
    }

    /// Whether `takeOutput` will return bytes.
    public var hasOutput: Bool { !wire.output.isEmpty }

    /// Whether the output is only a TLS 1.3 server's ticket for a later session, which can be sent with the first
    /// data.
    public var outputCanWait: Bool { ticketByteCount > 0 && wire.output.count == ticketByteCount }

    /// Moves all ciphertext that must be sent to the end of `output`.
    ///
    /// An empty `output` is swapped with the session's own buffer, so nothing is copied.
    public func takeOutput(appendingTo output: inout [UInt8]) {
        ticketByteCount = 0
        if output.isEmpty {
            swap(&output, &wire.output)
        } else {
            output += wire.output
            wire.output.removeAll(keepingCapacity: true)
        }
    }

    /// Whether the session resumes an earlier session; meaningless before `State.open`.
    public var isResumed: Bool { SSL_session_reused(ssl) == 1 }

    /// The protocol that ALPN selected; `nil` if the peer does not use ALPN.
    public var applicationProtocol: String? {
        var (start, count): (UnsafePointer<UInt8>?, UInt32) = (nil, 0)
        SSL_get0_alpn_selected(ssl, &start, &count)
        guard let start, count > 0 else { return nil }
        // OpenSSL owns the bytes; they are copied within this call.
        let bytes = UnsafeBufferPointer(start: start, count: Int(count))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The negotiated version, such as `TLSv1.3`; meaningless before `State.open`.
    public var protocolVersion: String { String(cString: SSL_get_version(ssl)) }

    /// OpenSSL's name of the negotiated cipher suite; empty before it is negotiated.
    public var cipherName: String {
        SSL_CIPHER_get_name(SSL_get_current_cipher(ssl)).map { String(cString: $0) } ?? ""
    }
}

extension TLSSession {
    /// The session that OpenSSL's call-backs refer to; it outlives the call in which they run.
    static func of(_ ssl: OpaquePointer?) -> TLSSession? {
        SSL_get_ex_data(ssl, 0).map {
            Unmanaged<TLSSession>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// Keeps the peer's certificates, accepted or not.
    func peerWasVerified(_ chain: [TLSCertificate], _ problem: CertificateProblem?) {
        peerCertificates = chain
        trace.refusal = problem
    }

    /// Records that the server asked for a certificate, which explains later alerts.
    func certificateWasRequested() {
        trace.isCertificateRequested = true
    }

    /// Keeps what the server offers for a later session.
    func resumptionWasOffered(_ session: OpaquePointer) {
        resumption = TLSResumption(
            session,
            context: context.number,
            serverName: serverName,
            certificates: peerCertificates.isEmpty
                ? resumed?.certificates ?? [] : peerCertificates
        )
    }

    private func resume(_ resumption: TLSResumption) {
        guard resumption.context == context.number, resumption.serverName == serverName else {
            return
        }
        resumption.apply(to: ssl)
        resumed = resumption
    }

    private func setServerName() throws(TLSError) {
        guard let serverName else {
            if case .server(let trust) = context.verification, trust.checksName {
                throw error(.serverNameMissing)
            }
            return
        }
        let host = ServerName(serverName)
        guard let host else { throw error(.serverNameInvalid(serverName)) }
        let parameters = SSL_get0_param(ssl)
        let isSet: Bool
        switch host {
        case .address(let bytes):
            // RFC 6066 §3: addresses are not sent as SNI.
            isSet = X509_VERIFY_PARAM_set1_ip(parameters, bytes, bytes.count) == 1
        case .name(let name):
            X509_VERIFY_PARAM_set_hostflags(
                parameters,
                UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS)
            )
            isSet =
                divan_tls_set_server_name(ssl, name) == 1
                && X509_VERIFY_PARAM_set1_host(parameters, name, 0) == 1
        }
        guard isSet else { throw error(.setup(code: OpenSSLFailure.take())) }
    }

    private func handshake() throws(TLSError) {
        OpenSSLFailure.clear()
        let hadOutput = hasOutput
        let result = SSL_do_handshake(ssl)
        if result == 1 {
            state = .open
            let isTicket = context.role == .server && SSL_version(ssl) == TLS1_3_VERSION
            if isTicket, !hadOutput { ticketByteCount = wire.output.count }
            trace.isHandshaking = false
            takeOverResumed()
            return
        }
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: return
        case SSL_ERROR_ZERO_RETURN: throw fail(.closedDuringHandshake)
        default: throw fail(trace.reason(OpenSSLFailure.take()))
        }
    }

    /// A resumed handshake shows no certificates: the first one's apply.
    private func takeOverResumed() {
        defer { resumed = nil }
        guard let resumed, isResumed else { return }
        peerCertificates = resumed.certificates
        // A TLS 1.2 server need not renew a ticket that is still valid.
        if resumption == nil, SSL_version(ssl) == TLS1_2_VERSION { resumption = resumed }
    }

    private func readRecords(
        _ byteCount: Int,
        appendingTo plaintext: inout [UInt8]
    ) throws(TLSError) {
        let needed = plaintext.count + byteCount + Self.recordByteCount
        if plaintext.capacity < needed {
            plaintext.reserveCapacity(max(needed, 2 * plaintext.capacity))
        }
        while true {
            OpenSSLFailure.clear()
            var result: Int32 = 0
            plaintext.appendBytes(upTo: Self.recordByteCount) { start in
                result = SSL_read(ssl, start, Int32(Self.recordByteCount))
                return max(0, Int(result))
            }
            if result > 0 {
                trace.hasReceivedData = true
                continue
            }
            switch SSL_get_error(ssl, result) {
            case SSL_ERROR_WANT_READ: return
            case SSL_ERROR_ZERO_RETURN:
                state = .closed
                return
            default: throw fail(trace.reason(OpenSSLFailure.take()))
            }
        }
    }

    /// Bytes of plaintext in a full record (RFC 8446 §5.1).
    private static let recordByteCount = 16_384

    private func fail(_ reason: TLSError.Reason) -> TLSError {
        let failure = error(reason)
        self.failure = failure
        state = .closed
        return failure
    }

    private func error(_ reason: TLSError.Reason) -> TLSError {
        TLSError(reason, role: context.role, serverName: serverName)
    }
}
