extension CBLError {
    /// The base of network error codes.
    public static let networkBase = 5_000
    /// The name lookup failed temporarily.
    public static let dnsFailure = 5_001
    /// The host does not exist.
    public static let unknownHost = 5_002
    /// The peer did not answer in time.
    public static let timeout = 5_003
    /// The URL cannot be used.
    public static let invalidURL = 5_004
    /// The server redirected too many times.
    public static let tooManyRedirects = 5_005
    /// The TLS handshake failed.
    public static let tlsHandshakeFailed = 5_006
    /// The peer's certificate is expired or not valid yet.
    public static let tlsCertExpired = 5_007
    /// The peer's certificate is not trusted.
    public static let tlsCertUntrusted = 5_008
    /// The peer requires a client certificate.
    public static let tlsClientCertRequired = 5_009
    /// The peer rejected our client certificate.
    public static let tlsClientCertRejected = 5_010
    /// The peer's certificate does not lead to a known root.
    public static let tlsCertUnknownRoot = 5_011
    /// The server redirected to an address that cannot be followed.
    public static let invalidRedirect = 5_012
    /// The network interface does not exist.
    public static let unknownInterface = 5_027

    /// The base of HTTP status codes.
    public static let httpBase = 10_000
    /// HTTP 401: credentials are missing or wrong.
    public static let httpAuthRequired = 10_401
    /// HTTP 403: not allowed.
    public static let httpForbidden = 10_403
    /// HTTP 404: the database, collection or document does not exist.
    public static let httpNotFound = 10_404
    /// HTTP 407: the proxy requires credentials.
    public static let httpProxyAuthRequired = 10_407
    /// HTTP 409: the document was changed on the peer.
    public static let httpConflict = 10_409
    /// HTTP 413: the document or blob is too large for the peer.
    public static let httpEntityTooLarge = 10_413
    /// HTTP 418.
    public static let httpImATeapot = 10_418
    /// HTTP 500: internal error on the peer.
    public static let httpInternalServerError = 10_500
    /// HTTP 501: the peer does not support the request.
    public static let httpNotImplemented = 10_501
    /// HTTP 503: the peer is overloaded or shutting down.
    public static let httpServiceUnavailable = 10_503

    /// The base of WebSocket close codes, minus 1000.
    public static let webSocketBase = 11_000
    /// Close code 1001: the peer is going away.
    public static let webSocketGoingAway = 11_001
    /// Close code 1002: one side violated the protocol.
    public static let webSocketProtocolError = 11_002
    /// Close code 1003: a message type that cannot be handled.
    public static let webSocketDataError = 11_003
    /// Close code 1006: the connection ended without a close frame.
    public static let webSocketAbnormalClose = 11_006
    /// Close code 1007: a message is malformed.
    public static let webSocketBadMessageFormat = 11_007
    /// Close code 1008: a message violates the peer's policy.
    public static let webSocketPolicyError = 11_008
    /// Close code 1009: a message is too big.
    public static let webSocketMessageTooBig = 11_009
    /// Close code 1010: a required extension is missing.
    public static let webSocketMissingExtension = 11_010
    /// Close code 1011: the peer cannot fulfil the request.
    public static let webSocketCantFulfill = 11_011
    /// Close code 4001: the peer requests a retry later.
    public static let webSocketCloseUserTransient = 14_001
    /// Close code 4002: the peer requests no retry.
    public static let webSocketCloseUserPermanent = 14_002
}
