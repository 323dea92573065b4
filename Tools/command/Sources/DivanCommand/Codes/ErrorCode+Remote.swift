extension ErrorCode {
    /// Of connections and TLS.
    static let network = [
        ErrorCode(
            5001,
            "dnsFailure",
            "The name could not be looked up just now",
            "check the network and its name server"
        ),
        ErrorCode(5002, "unknownHost", "The host does not exist", "check the name in the URL"),
        ErrorCode(
            5003,
            "timeout",
            "The peer did not answer in time",
            "check host, port and firewalls; try again"
        ),
        ErrorCode(
            5004,
            "invalidURL",
            "The URL cannot be used",
            "write ws:// or wss://, host, port and database"
        ),
        ErrorCode(
            5005,
            "tooManyRedirects",
            "The server redirected too many times",
            "use the URL of the final place"
        ),
        ErrorCode(
            5006,
            "tlsHandshakeFailed",
            "The TLS handshake failed",
            "look with `divan certs show`; ws:// for a port without TLS"
        ),
        ErrorCode(
            5007,
            "tlsCertExpired",
            "The peer's certificate is expired or not valid yet",
            "renew it; check both clocks"
        ),
        ErrorCode(
            5008,
            "tlsCertUntrusted",
            "The peer's certificate is not trusted",
            "pin it, or trust its authority"
        ),
        ErrorCode(
            5009,
            "tlsClientCertRequired",
            "The peer asks for a client certificate",
            "give an identity with `--identity`"
        ),
        ErrorCode(
            5010,
            "tlsClientCertRejected",
            "The peer refused our client certificate",
            "have it let in over there"
        ),
        ErrorCode(
            5011,
            "tlsCertUnknownRoot",
            "The peer's certificate leads to no known root",
            "pin it, or trust its authority"
        ),
        ErrorCode(
            5012,
            "invalidRedirect",
            "The server redirected to a place that cannot be followed",
            "correct the server's redirect"
        ),
        ErrorCode(5014, "", "The peer's certificate was revoked", "have a new one made"),
        ErrorCode(
            5015,
            "",
            "The peer's certificate is for another name",
            "use the name in the certificate, or pin it"
        ),
        ErrorCode(
            5027,
            "unknownInterface",
            "The network interface does not exist here",
            "use a name or address that `ip addr` shows"
        ),
    ]

    /// HTTP statuses.
    static let http = [
        ErrorCode(
            10_400,
            "",
            "HTTP 400: the peer does not understand the request",
            "check port and scheme: wss:// where it speaks TLS; `divan info` on both sides: both databases "
                + "need revision trees, or both version vectors"
        ),
        ErrorCode(
            10_401,
            "httpAuthRequired",
            "HTTP 401: credentials are missing or wrong",
            "check user, password or session"
        ),
        ErrorCode(
            10_403,
            "httpForbidden",
            "HTTP 403: not allowed",
            "ask for the right; check read-only and filters"
        ),
        ErrorCode(
            10_404,
            "httpNotFound",
            "HTTP 404: no such database, collection or document there",
            "check the URL's path and the collections"
        ),
        ErrorCode(
            10_407,
            "httpProxyAuthRequired",
            "HTTP 407: the proxy asks for credentials",
            "give `--proxy USER@HOST:PORT` and its password"
        ),
        ErrorCode(10_408, "", "HTTP 408: the peer waited too long", "try again"),
        ErrorCode(
            10_409,
            "httpConflict",
            "HTTP 409: somebody else changed the document first",
            "pull it, so that the conflict can be resolved"
        ),
        ErrorCode(
            10_413,
            "httpEntityTooLarge",
            "HTTP 413: too large for the peer",
            "make the document or its blobs smaller"
        ),
        ErrorCode(10_418, "httpImATeapot", "HTTP 418: the peer is a teapot", "ask a coffee pot"),
        ErrorCode(10_429, "", "HTTP 429: too many attempts or connections", "wait, then try again"),
        ErrorCode(
            10_500,
            "httpInternalServerError",
            "HTTP 500: the peer failed",
            "see the peer's log; try again"
        ),
        ErrorCode(
            10_501,
            "httpNotImplemented",
            "HTTP 501: the peer cannot do this",
            "use another server or option"
        ),
        ErrorCode(
            10_502,
            "",
            "HTTP 502: what stands before the peer cannot reach it, or it failed to send a revision",
            "try again; see the peer's log"
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
            "HTTP 504: what stands before the peer waited too long",
            "try again later"
        ),
    ]

    /// WebSocket close codes.
    static let closing = [
        ErrorCode(
            11_000,
            "",
            "Close code 1000: the peer ended the connection in order",
            "start it again when it is there"
        ),
        ErrorCode(
            11_001,
            "webSocketGoingAway",
            "Close code 1001: the peer has stopped",
            "start it again there, then here"
        ),
        ErrorCode(
            11_002,
            "webSocketProtocolError",
            "Close code 1002: a side broke the protocol",
            "see both logs; use equal versions"
        ),
        ErrorCode(
            11_003,
            "webSocketDataError",
            "Close code 1003: a kind of message that cannot be handled",
            "check that the URL leads to a sync server"
        ),
        ErrorCode(
            11_006,
            "webSocketAbnormalClose",
            "Close code 1006: the connection ended without a goodbye",
            "try again; check the network"
        ),
        ErrorCode(
            11_007,
            "webSocketBadMessageFormat",
            "Close code 1007: a message is malformed",
            "see both logs"
        ),
        ErrorCode(
            11_008,
            "webSocketPolicyError",
            "Close code 1008: a message breaks the peer's policy",
            "see the peer's log"
        ),
        ErrorCode(
            11_009,
            "webSocketMessageTooBig",
            "Close code 1009: a message is too big",
            "make the document smaller; use blobs"
        ),
        ErrorCode(
            11_010,
            "webSocketMissingExtension",
            "Close code 1010: an extension that is needed is missing",
            "use equal versions"
        ),
        ErrorCode(
            11_011,
            "webSocketCantFulfill",
            "Close code 1011: the peer cannot fulfil the request",
            "see the peer's log; try again"
        ),
        ErrorCode(
            14_001,
            "webSocketCloseUserTransient",
            "Close code 4001: the peer is restarting or overloaded",
            "try again later; a continuous sync does"
        ),
        ErrorCode(
            14_002,
            "webSocketCloseUserPermanent",
            "Close code 4002: the peer asks not to try again",
            "see the peer's log"
        ),
    ]

    /// The rest.
    static let ranges = [
        ErrorCode(1...999, "", "Another error of the database", "see the message and the log"),
        ErrorCode(
            5000...5999,
            "",
            "Another error of the network or of TLS",
            "see the message; check the network"
        ),
        ErrorCode(10_100...10_999, "", "Another HTTP status, less 10000", "see the peer's log"),
        ErrorCode(
            11_000...13_999,
            "",
            "Another close code of WebSocket, less 10000",
            "see the peer's log"
        ),
        ErrorCode(
            14_000...14_999,
            "",
            "A close code of the peer's application, less 10000",
            "see the peer's log"
        ),
    ]
}
