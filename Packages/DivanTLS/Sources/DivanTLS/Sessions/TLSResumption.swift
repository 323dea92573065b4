import CDivanTLS

/// What a client needs to go on with an earlier session instead of shaking hands in full.
///
/// A session hands it out (`TLSSession.resumption`) and a later one takes it in. The trust in the
/// server is not judged again, so it works in the context and for the server name that it was
/// made with, and is ignored elsewhere: the handshake is then a full one. Use a value once, so
/// that an observer cannot tie connections together. It holds secrets, which are wiped with the
/// last copy.
///
/// Source: RFC 5077, RFC 8446 §2.2, §C.4.
public struct TLSResumption: Sendable {
    /// What the server presented in the full handshake, leaf first.
    public let certificates: [TLSCertificate]

    let context: ContextNumber
    let serverName: String?
    private let secret: ResumptionSecret

    /// Copies a session out of OpenSSL; `nil` when it cannot be resumed.
    init?(
        _ session: OpaquePointer,
        context: ContextNumber,
        serverName: String?,
        certificates: [TLSCertificate]
    ) {
        guard SSL_SESSION_is_resumable(session) == 1, let secret = ResumptionSecret(session) else {
            return nil
        }
        self.context = context
        self.serverName = serverName
        self.certificates = certificates
        self.secret = secret
    }

    /// Hands the session to OpenSSL; when it does not take it, the handshake is a full one.
    func apply(to ssl: OpaquePointer) {
        secret.apply(to: ssl)
    }
}

/// The serialized session of OpenSSL, with its keys.
///
/// Bytes and not OpenSSL's own object, which is marked as spent when a connection breaks.
/// `@unchecked Sendable` holds because the bytes are written in `init` and only read afterwards.
private final class ResumptionSecret: @unchecked Sendable {
    private let bytes: UnsafeMutableBufferPointer<UInt8>

    init?(_ session: OpaquePointer) {
        let byteCount = Int(i2d_SSL_SESSION(session, nil))
        guard byteCount > 0 else { return nil }
        bytes = .allocate(capacity: byteCount)
        bytes.initialize(repeating: 0)
        var cursor = bytes.baseAddress
        i2d_SSL_SESSION(session, &cursor)
    }

    deinit {
        OPENSSL_cleanse(bytes.baseAddress, bytes.count)
        bytes.deallocate()
    }

    func apply(to ssl: OpaquePointer) {
        var cursor = bytes.baseAddress.map { UnsafePointer($0) }
        guard let session = d2i_SSL_SESSION(nil, &cursor, bytes.count) else { return }
        SSL_set_session(ssl, session)
        SSL_SESSION_free(session)
    }
}

/// OpenSSL's call-back on a client when a server offers to resume the session later.
func keepResumption(_ ssl: OpaquePointer?, _ session: OpaquePointer?) -> Int32 {
    if let session { TLSSession.of(ssl)?.resumptionWasOffered(session) }
    return 0  // the reference stays with OpenSSL
}
