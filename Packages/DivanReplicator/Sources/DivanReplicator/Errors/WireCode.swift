/// An error code, in the numbers used on the wire and recorded in the store.
///
/// Each family has its named codes; a peer may send numbers that have no name.
///
/// Source: `errors.md` §2.
public enum WireCode: Hashable, Sendable {
    /// The families; raw values are the core's own numbers.
    public enum Domain: UInt8, Hashable, Sendable, CaseIterable {
        /// Errors of the database itself, 1…32.
        case liteCore = 1
        /// `errno` values of the platform that reported them.
        case posix
        /// SQLite result codes.
        case sqlite
        /// Errors of Couchbase Lite's binary JSON library; only received.
        case fleece
        /// Errors of name lookup, connections and TLS, 1…27.
        case network
        /// HTTP status codes below 1000, WebSocket close codes from 1000.
        case webSocket
        /// TLS library codes; only received.
        case mbedTLS
    }

    /// An error of the database.
    case liteCore(LiteCoreCode)
    /// An `errno` value of the platform that reported it.
    case posix(Int)
    /// An SQLite result code.
    case sqlite(Int)
    /// An error of Couchbase Lite's binary JSON library; only received.
    case fleece(Int)
    /// An error of name lookup, connections or TLS.
    case network(NetworkCode)
    /// An HTTP status, which all peers support.
    case http(HTTPStatus)
    /// A WebSocket close code.
    case close(CloseCode)
    /// An error of a TLS library; only received.
    case mbedTLS(Int)
}

extension WireCode {
    /// Creates the code for a number of a family; HTTP and WebSocket share one.
    public init(_ domain: Domain, _ number: Int) {
        self =
            switch domain {
            case .liteCore: .liteCore(LiteCoreCode(rawValue: number))
            case .posix: .posix(number)
            case .sqlite: .sqlite(number)
            case .fleece: .fleece(number)
            case .network: .network(NetworkCode(rawValue: number))
            case .webSocket where number < CloseCode.normal.rawValue:
                .http(HTTPStatus(rawValue: number))
            case .webSocket: .close(CloseCode(rawValue: number))
            case .mbedTLS: .mbedTLS(number)
            }
    }

    /// The family, which gives `number` its meaning.
    public var domain: Domain {
        switch self {
        case .liteCore: .liteCore
        case .posix: .posix
        case .sqlite: .sqlite
        case .fleece: .fleece
        case .network: .network
        case .http, .close: .webSocket
        case .mbedTLS: .mbedTLS
        }
    }

    /// The number within the family.
    public var number: Int {
        switch self {
        case .liteCore(let code): code.rawValue
        case .network(let code): code.rawValue
        case .http(let status): status.rawValue
        case .close(let code): code.rawValue
        case .posix(let number), .sqlite(let number), .fleece(let number), .mbedTLS(let number):
            number
        }
    }

    /// The family's name in `Error-Domain`.
    var domainName: String {
        switch self {
        case .liteCore: "LiteCore"
        case .posix: "POSIX"
        case .sqlite: "SQLite"
        case .fleece: "Fleece"
        case .network: "Network"
        case .http: "HTTP"
        case .close: "WebSocket"
        case .mbedTLS: "mbedTLS"
        }
    }
}

/// An HTTP status, as in error replies, verdicts on lists and refused handshakes.
///
/// Source: RFC 9110 §15.
public struct HTTPStatus: RawRepresentable, Hashable, Sendable {
    /// The number; 100 to 999 from a peer.
    public let rawValue: Int

    /// Creates a status from a number, known or not.
    public init(rawValue: Int) { self.rawValue = rawValue }

    static let notModified = HTTPStatus(rawValue: 304)  // of a proposal: it is there already
    /// An invalid request.
    public static let badRequest = HTTPStatus(rawValue: 400)
    /// The credentials are missing or wrong.
    public static let unauthorized = HTTPStatus(rawValue: 401)
    static let forbidden = HTTPStatus(rawValue: 403)
    static let notFound = HTTPStatus(rawValue: 404)
    static let requestTimeout = HTTPStatus(rawValue: 408)
    static let conflict = HTTPStatus(rawValue: 409)
    static let gone = HTTPStatus(rawValue: 410)
    static let contentTooLarge = HTTPStatus(rawValue: 413)
    static let unprocessable = HTTPStatus(rawValue: 422)  // a difference that does not fit
    static let tooManyRequests = HTTPStatus(rawValue: 429)
    /// Internal error on the server.
    public static let internalError = HTTPStatus(rawValue: 500)
    static let notImplemented = HTTPStatus(rawValue: 501)
    static let badGateway = HTTPStatus(rawValue: 502)
    /// Overloaded, or shutting down.
    public static let serviceUnavailable = HTTPStatus(rawValue: 503)
    static let gatewayTimeout = HTTPStatus(rawValue: 504)
}

/// The code in a WebSocket CLOSE frame.
///
/// Source: RFC 6455 §7.4; `errors.md` §9.
public struct CloseCode: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: Int

    /// Creates a code from a number, known or not.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Creates the code of a frame.
    public init(_ number: UInt16) { rawValue = Int(number) }

    /// The number as in a frame.
    public var number: UInt16 { UInt16(clamping: rawValue) }

    /// Closed normally.
    public static let normal = CloseCode(rawValue: 1000)
    /// The peer has stopped.
    public static let goingAway = CloseCode(rawValue: 1001)
    /// The reason in the CLOSE frame of a peer that was stopped by its application: its clients stop too.
    ///
    /// With other reasons, such as a database that was taken offline, clients reconnect.
    public static let stoppedReason = "stopped"
    /// Closed normally without a code: an empty CLOSE frame.
    public static let noCode = CloseCode(rawValue: 1005)
    static let protocolError = CloseCode(rawValue: 1002)
    static let unsupportedData = CloseCode(rawValue: 1003)
    static let abnormal = CloseCode(rawValue: 1006)  // stands for no CLOSE frame at all
    static let badFormat = CloseCode(rawValue: 1007)
    static let policy = CloseCode(rawValue: 1008)
    static let tooBig = CloseCode(rawValue: 1009)
    static let missingExtension = CloseCode(rawValue: 1010)
    static let cannotFulfil = CloseCode(rawValue: 1011)
    static let serviceRestart = CloseCode(rawValue: 1012)
    static let overloaded = CloseCode(rawValue: 1013)
    static let badGateway = CloseCode(rawValue: 1014)
    static let retryLater = CloseCode(rawValue: 4001)
    /// Closed permanently: retrying does not help.
    public static let doNotRetry = CloseCode(rawValue: 4002)
}

/// An error of the database, 1…32.
public struct LiteCoreCode: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: Int

    /// Creates a code from a number, known or not.
    public init(rawValue: Int) { self.rawValue = rawValue }

    static let badRevisionID = LiteCoreCode(rawValue: 4)
    static let corruptRevision = LiteCoreCode(rawValue: 5)
    static let notOpen = LiteCoreCode(rawValue: 6)
    /// The document, blob or file does not exist.
    public static let notFound = LiteCoreCode(rawValue: 7)
    /// Another revision is current.
    public static let conflict = LiteCoreCode(rawValue: 8)
    static let invalidParameter = LiteCoreCode(rawValue: 9)
    static let unexpected = LiteCoreCode(rawValue: 10)
    static let cannotOpenFile = LiteCoreCode(rawValue: 11)
    static let inputOutput = LiteCoreCode(rawValue: 12)
    static let memory = LiteCoreCode(rawValue: 13)
    static let notWriteable = LiteCoreCode(rawValue: 14)
    static let corruptData = LiteCoreCode(rawValue: 15)
    static let busy = LiteCoreCode(rawValue: 16)
    static let unsupported = LiteCoreCode(rawValue: 19)
    static let notADatabase = LiteCoreCode(rawValue: 20)
    static let crypto = LiteCoreCode(rawValue: 22)  // of a property that is encrypted
    static let remoteError = LiteCoreCode(rawValue: 26)
    static let databaseTooNew = LiteCoreCode(rawValue: 28)
    static let badDocumentID = LiteCoreCode(rawValue: 29)
    static let deltaBaseUnknown = LiteCoreCode(rawValue: 31)
    static let corruptDelta = LiteCoreCode(rawValue: 32)
}

/// An error of name lookup, connections or TLS, 1…27.
///
/// Source: `websocket-and-urls.md` §5.
public struct NetworkCode: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: Int

    /// Creates a code from a number, known or not.
    public init(rawValue: Int) { self.rawValue = rawValue }

    static let nameLookup = NetworkCode(rawValue: 1)
    static let unknownHost = NetworkCode(rawValue: 2)
    static let timeout = NetworkCode(rawValue: 3)
    static let networkReset = NetworkCode(rawValue: 16)
    static let connectionAborted = NetworkCode(rawValue: 17)
    static let connectionReset = NetworkCode(rawValue: 18)
    static let connectionRefused = NetworkCode(rawValue: 19)
    static let networkDown = NetworkCode(rawValue: 20)
    static let networkUnreachable = NetworkCode(rawValue: 21)
    static let notConnected = NetworkCode(rawValue: 22)
    static let hostDown = NetworkCode(rawValue: 23)
    static let hostUnreachable = NetworkCode(rawValue: 24)
    static let addressNotAvailable = NetworkCode(rawValue: 25)
    static let brokenPipe = NetworkCode(rawValue: 26)
    static let unknownInterface = NetworkCode(rawValue: 27)
}

/// Values of `errno` with a meaning for a replication, in Linux numbers: a code from another platform must not be
/// looked up here.
enum POSIXCode {
    static let noSpace = 28
    /// Lack of memory or descriptors, in this process or on the machine.
    static let wantOfMeans = [11, 12, 23, 24]
    /// Connections reset, aborted, refused, or timed out.
    static let shortLived = [102, 103, 104, 110, 111]
    /// Broken pipes, and unreachable networks and hosts.
    static let offline = [32, 99, 100, 101, 107, 112, 113]
}
