public import DivanLog
import DivanPlatform
public import DivanTLS
public import DivanWebSocket

/// The reason why a connection could not be opened or failed, and the remedy.
public struct TransportError: Error, Sendable {
    /// What went wrong, with the values.
    public enum Reason: Sendable {
        /// No name server could be reached; the code of `getaddrinfo`.
        case nameLookup(code: Int32)
        /// The host name does not exist.
        case unknownHost(String)
        /// No network interface has this name or address.
        case unknownInterface(String)
        /// A system call failed.
        case system(call: String, errno: Int32)
        /// A time limit was exceeded.
        case timeout(Wait)
        /// The TLS handshake or the TLS connection failed.
        case tls(TLSError)
        /// The peer's opening handshake is not a valid WebSocket handshake.
        case handshake(HandshakeError)
        /// The server refused the upgrade; its headers can set cookies.
        case refused(status: Int, explanation: String, headers: HTTPHeaders)
        /// The server redirected the client more often than `TransportLimits.redirectCount`.
        case tooManyRedirects(limit: Int)
        /// The server redirected the client to an invalid URL.
        case invalidRedirect(String)
        /// The peer violated the WebSocket protocol.
        case frame(FrameError)
        /// The connection ended without a closing handshake.
        case abnormalClose
    }

    /// The operation that exceeded its time limit.
    public enum Wait: Sendable, Equatable {
        /// Address, TCP, TLS and HTTP together.
        case connection
        /// A pong, or any other data.
        case pong
        /// The answer to the local CLOSE frame.
        case closeEcho
        /// The peer did not read the sent data.
        case reading
    }

    /// An error code and its domain (`websocket-and-urls.md` §5).
    public enum Code: Equatable, Sendable {
        /// The Network domain: 1 name lookup, 2 unknown host, 3 timeout …
        case network(Int)
        /// The WebSocket domain: an HTTP status or a close code.
        case webSocket(Int)
        /// An `errno` value.
        case posix(Int32)
    }

    /// What went wrong.
    public let reason: Reason
    /// The URL or address of the peer, or the address to listen on.
    public let place: String

    /// Creates an error.
    public init(_ reason: Reason, place: String) {
        self.reason = reason
        self.place = place
    }

    /// The error code in the public API.
    ///
    /// Source: `websocket-and-urls.md` §5; `tls-and-auth.md` §6.
    public var code: Code {
        switch reason {
        case .nameLookup: .network(1)
        case .unknownHost: .network(2)
        case .timeout: .network(3)
        case .tooManyRedirects: .network(5)
        case .invalidRedirect: .network(12)
        case .unknownInterface: .network(27)
        case .system(_, let errno): .posix(errno)
        case .tls(let error):
            error.networkCode.map { .network($0) } ?? .posix(Errno.connectionReset.rawValue)
        case .handshake(let error): .webSocket(error.code)
        case .refused(let status, _, _): .webSocket(status)
        case .frame(let error): .webSocket(Int(error.closeCode))
        case .abnormalClose: .webSocket(1006)
        }
    }
}

extension TransportError: CustomStringConvertible {
    /// One line: place, problem, remedy.
    public var description: String { "\(place): \(reason.explanation)" }
}

extension TransportError: LogRepresentable {
    /// The description; the answer of a server that refused the connection counts as user data.
    public var logMessage: LogMessage {
        if case .refused = reason { return "\(address: place): \(user: reason.explanation)" }
        return "\(address: place): \(reason.explanation)"
    }
}

extension TransportError.Reason {
    /// Problem and remedy; an error of a lower package has its own text.
    fileprivate var explanation: String {
        switch self {
        case .tls(let error): error.description
        case .handshake(let error): error.description
        case .frame(let error): error.description
        case .timeout(let wait): wait.explanation
        case .nameLookup(let code):
            """
            name lookup failed (\(LookupError(code: code).text)); \
            check the network and its name server
            """
        case .unknownHost(let name): "unknown host \(name); check the host name"
        case .unknownInterface(let name):
            "unknown network interface \(name); use a name or address that 'ip addr' shows"
        case .system(let call, let errno):
            "\(call): \(Errno(errno)); \(remedy(for: errno))"
        case .refused(let status, let explanation, _):
            """
            the server refused the connection with HTTP \(status)\(quoted(explanation)); \
            \(remedy(forStatus: status))
            """
        case .tooManyRedirects(let limit):
            "more than \(limit) redirects; use the final URL"
        case .invalidRedirect(let location):
            """
            the server redirected to '\(escapedForLog(location))', which is not a valid URL or \
            does not use TLS; correct the server's redirect
            """
        case .abnormalClose:
            "the connection was lost without a closing handshake; retry, and check the peer's log"
        }
    }

    private func quoted(_ explanation: String) -> String {
        explanation.isEmpty ? "" : " (\"\(escapedForLog(explanation))\")"
    }

    private func remedy(for errno: Int32) -> String {
        switch Errno(errno) {
        case .connectionRefused: "check that the peer is running and listening on this port"
        case .addressInUse: "choose another port, or stop the program that uses it"
        case .permissionDenied, .notPermitted:
            "choose a port above 1023, or allow the program to use it"
        case .tooManyOpenFiles, .tooManyOpenFilesInSystem: "raise the limit on open files"
        case .addressNotAvailable: "use an address of this machine"
        default: "check the network, and retry"
        }
    }

    private func remedy(forStatus status: Int) -> String {
        switch status {
        case 401: "check the user name and password, or the session"
        case 403: "request access to this database"
        case 404: "check the database name in the URL"
        case 407: "set the credentials for the proxy"
        case 408, 429, 502, 503, 504: "retry later"
        default: "check the server's log"
        }
    }
}

extension TransportError.Wait {
    fileprivate var explanation: String {
        switch self {
        case .connection:
            "connection timed out; check the host, port and firewalls, and retry"
        case .pong: "no response from the peer; check the network, and retry"
        case .closeEcho: "the peer did not confirm the close; no data is lost"
        case .reading: "the peer stopped reading; check the peer's load, and retry"
        }
    }
}
