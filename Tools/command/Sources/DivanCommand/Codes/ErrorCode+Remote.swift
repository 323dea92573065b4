extension ErrorCode {
    /// Of connections and TLS.
    static let network = [
        ErrorCode(
            5001,
            "dnsFailure",
            "The host name could not be looked up",
            "check the network and the name server"
        ),
        ErrorCode(5002, "unknownHost", "The host does not exist", "check the host name in the URL"),
        ErrorCode(
            5003,
            "timeout",
            "The peer did not respond in time",
            "check the host, port and firewalls, and try again"
        ),
        ErrorCode(
            5004,
            "invalidURL",
            "The URL is invalid",
            "use wss://HOST:PORT/DATABASE, or ws:// without TLS"
        ),
        ErrorCode(
            5005,
            "tooManyRedirects",
            "The server redirected too many times",
            "use the URL that the redirects lead to"
        ),
        ErrorCode(
            5006,
            "tlsHandshakeFailed",
            "The TLS handshake failed",
            "run `divan certs show HOST:PORT`; use ws:// if the server has no TLS"
        ),
        ErrorCode(
            5007,
            "tlsCertExpired",
            "The peer's certificate has expired, or is not valid yet",
            "renew it, or correct the clocks"
        ),
        ErrorCode(
            5008,
            "tlsCertUntrusted",
            "The peer's certificate is not trusted",
            "pin it with `--pin`, or trust its authority with `--trust`"
        ),
        ErrorCode(
            5009,
            "tlsClientCertRequired",
            "The peer requires a client certificate",
            "use `--identity`"
        ),
        ErrorCode(
            5010,
            "tlsClientCertRejected",
            "The peer rejected the client certificate",
            "allow the certificate on the peer"
        ),
        ErrorCode(
            5011,
            "tlsCertUnknownRoot",
            "The peer's certificate is signed by an unknown authority",
            "pin it with `--pin`, or trust its authority with `--trust`"
        ),
        ErrorCode(
            5012,
            "invalidRedirect",
            "The server redirected to an invalid URL",
            "correct the server's redirect"
        ),
        ErrorCode(
            5014,
            "",
            "The peer's certificate has been revoked",
            "install a new certificate on the peer"
        ),
        ErrorCode(
            5015,
            "",
            "The peer's certificate is for another host name",
            "use a name in the certificate, or pin it with `--pin`"
        ),
        ErrorCode(
            5027,
            "unknownInterface",
            "The network interface does not exist",
            "use a name or address that `ip addr` lists"
        ),
    ]

    /// HTTP statuses.
    static let http = [
        ErrorCode(
            10_400,
            "",
            "HTTP 400: the peer rejected the request as invalid",
            "check the port, and use wss:// if it has TLS; run `divan info` on both sides: both "
                + "databases must use revision trees, or both version vectors"
        ),
        ErrorCode(
            10_401,
            "httpAuthRequired",
            "HTTP 401: credentials are missing or wrong",
            "check the user name, password or session"
        ),
        ErrorCode(
            10_403,
            "httpForbidden",
            "HTTP 403: access denied",
            "request access; check read-only settings and filters"
        ),
        ErrorCode(
            10_404,
            "httpNotFound",
            "HTTP 404: database, collection or document not found on the peer",
            "check the URL's path and the collections"
        ),
        ErrorCode(
            10_407,
            "httpProxyAuthRequired",
            "HTTP 407: the proxy requires credentials",
            "use `--proxy USER@HOST:PORT`, and set DIVAN_PROXY_PASSWORD"
        ),
        ErrorCode(10_408, "", "HTTP 408: the request timed out", "try again"),
        ErrorCode(
            10_409,
            "httpConflict",
            "HTTP 409: the document was changed in the meantime",
            "pull it, and resolve the conflict"
        ),
        ErrorCode(
            10_413,
            "httpEntityTooLarge",
            "HTTP 413: the document is too large for the peer",
            "make the document or its blobs smaller"
        ),
        ErrorCode(
            10_418,
            "httpImATeapot",
            "HTTP 418: the peer is a teapot",
            "check that the URL leads to a sync server"
        ),
        ErrorCode(10_429, "", "HTTP 429: too many attempts or connections", "wait, and try again"),
        ErrorCode(
            10_500,
            "httpInternalServerError",
            "HTTP 500: internal error of the peer",
            "check the peer's log, and try again"
        ),
        ErrorCode(
            10_501,
            "httpNotImplemented",
            "HTTP 501: the peer does not support the request",
            "use another server or option"
        ),
        ErrorCode(
            10_502,
            "",
            "HTTP 502: a proxy cannot reach the peer, or the peer could not send a revision",
            "try again; check the peer's log"
        ),
        ErrorCode(
            10_503,
            "httpServiceUnavailable",
            "HTTP 503: the peer is overloaded or shutting down",
            "try again later"
        ),
        ErrorCode(
            10_504,
            "",
            "HTTP 504: a proxy timed out waiting for the peer",
            "try again later"
        ),
    ]

    /// WebSocket close codes.
    static let closing = [
        ErrorCode(
            11_000,
            "",
            "Close code 1000: the peer closed the connection normally",
            "connect again"
        ),
        ErrorCode(
            11_001,
            "webSocketGoingAway",
            "Close code 1001: the peer stopped",
            "start the peer, and connect again"
        ),
        ErrorCode(
            11_002,
            "webSocketProtocolError",
            "Close code 1002: protocol error",
            "check the logs of both sides, and use the same version on both"
        ),
        ErrorCode(
            11_003,
            "webSocketDataError",
            "Close code 1003: unsupported type of message",
            "check that the URL leads to a sync server"
        ),
        ErrorCode(
            11_006,
            "webSocketAbnormalClose",
            "Close code 1006: the connection was lost",
            "check the network, and try again"
        ),
        ErrorCode(
            11_007,
            "webSocketBadMessageFormat",
            "Close code 1007: malformed message",
            "check the logs of both sides"
        ),
        ErrorCode(
            11_008,
            "webSocketPolicyError",
            "Close code 1008: a message violates the peer's policy",
            "check the peer's log"
        ),
        ErrorCode(
            11_009,
            "webSocketMessageTooBig",
            "Close code 1009: a message is too large",
            "make the document smaller, or store large content in blobs"
        ),
        ErrorCode(
            11_010,
            "webSocketMissingExtension",
            "Close code 1010: a required extension is missing",
            "use the same version on both sides"
        ),
        ErrorCode(
            11_011,
            "webSocketCantFulfill",
            "Close code 1011: the peer could not complete the request",
            "check the peer's log, and try again"
        ),
        ErrorCode(
            14_001,
            "webSocketCloseUserTransient",
            "Close code 4001: the peer is restarting or overloaded",
            "try again later; continuous replications reconnect automatically"
        ),
        ErrorCode(
            14_002,
            "webSocketCloseUserPermanent",
            "Close code 4002: the peer asks clients not to reconnect",
            "check the peer's log"
        ),
    ]

    /// The rest.
    static let ranges = [
        ErrorCode(1...999, "", "Another database error", "check the message and the log"),
        ErrorCode(
            5000...5999,
            "",
            "Another network or TLS error",
            "check the message and the network"
        ),
        ErrorCode(
            10_100...10_999,
            "",
            "Another HTTP status (code minus 10000)",
            "check the peer's log"
        ),
        ErrorCode(
            11_000...13_999,
            "",
            "Another WebSocket close code (code minus 10000)",
            "check the peer's log"
        ),
        ErrorCode(
            14_000...14_999,
            "",
            "An application-defined close code (code minus 10000)",
            "check the peer's log"
        ),
    ]
}
