import CDivanTLS

/// The state that a client needs to resume an earlier session instead of a full handshake.
///
/// Pass the `TLSSession.resumption` of a session to a later session. The server's certificate is not verified
/// again, so it is valid only in the context and for the server name of the original session, and ignored
/// otherwise: the handshake is then a full handshake. Use each value only once, so that an observer cannot link
/// connections. It contains secrets, which are wiped with the last copy.
///
/// Source: RFC 5077, RFC 8446 §2.2, §C.4.
public struct TLSResumption: Sendable {
    /// The server's certificates from the full handshake, leaf first.
    public let certificates: [TLSCertificate]

    let context: ContextNumber
    let serverName: String?
    private let secret: ResumptionSecret

    /// Copies a session out of OpenSSL; `nil` if it cannot be resumed.
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

    /// Passes the session to OpenSSL; if it is rejected, the handshake is a full one.
    func apply(to ssl: OpaquePointer) {
        secret.apply(to: ssl)
    }
}

/// OpenSSL's serialized session, with its keys.
///
/// Bytes rather than OpenSSL's own object, which is marked as used when a connection breaks. `@unchecked Sendable`
/// holds because the bytes are written in `init` and only read afterwards.
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
