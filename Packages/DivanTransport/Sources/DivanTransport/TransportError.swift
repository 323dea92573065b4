import DivanLog
public import DivanTLS
public import DivanWebSocket
import Glibc

/// Why a connection could not be opened, or broke, and what to do about it.
public struct TransportError: Error, Sendable {
    /// What went wrong, with the offending values.
    public enum Reason: Sendable {
        /// No name server could be asked; the code is that of `getaddrinfo`.
        case nameLookup(code: Int32)
        /// The name does not exist.
        case unknownHost(String)
        /// There is no network interface with this name or address.
        case unknownInterface(String)
        /// A system call failed.
        case system(call: String, errno: Int32)
        /// Something did not happen in time.
        case timeout(Wait)
        /// The TLS handshake failed, or TLS broke.
        case tls(TLSError)
        /// The peer's opening handshake is not a valid WebSocket handshake.
        case handshake(HandshakeError)
        /// The server refused the upgrade; its headers may set cookies.
        case refused(status: Int, explanation: String, headers: HTTPHeaders)
        /// The server redirected us more often than `TransportLimits.redirectCount`.
        case tooManyRedirects(limit: Int)
        /// The server redirected us to something that is not a valid URL.
        case invalidRedirect(String)
        /// The peer violated the WebSocket protocol.
        case frame(FrameError)
        /// The connection ended without a closing handshake.
        case abnormalClose
    }

    /// What was waited for.
    public enum Wait: Sendable, Equatable {
        /// Address, TCP, TLS and HTTP together.
        case connection
        /// A pong, or any other data.
        case pong
        /// The answer to our CLOSE frame.
        case closeEcho
        /// The peer to read what we send.
        case reading
    }

    /// An error's number and where it is defined (`websocket-and-urls.md` §5).
    public enum Code: Equatable, Sendable {
        /// The Network domain: 1 name look-up, 2 unknown host, 3 timeout …
        case network(Int)
        /// The WebSocket domain: an HTTP status or a close code.
        case webSocket(Int)
        /// A number of `errno`.
        case posix(Int32)
    }

    /// What went wrong.
    public let reason: Reason
    /// The URL or address of the other end, or the address to listen on.
    public let place: String

    /// Creates an error.
    public init(_ reason: Reason, place: String) {
        self.reason = reason
        self.place = place
    }

    /// The number under which applications know this error.
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
        case .tls(let error): error.networkCode.map { .network($0) } ?? .posix(ECONNRESET)
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
            the name could not be looked up (\(String(cString: gai_strerror(code)))); \
            check the network and its name server
            """
        case .unknownHost(let name): "there is no host \(name); check the name"
        case .unknownInterface(let name):
            "there is no network interface \(name); use a name or address that `ip addr` shows"
        case .system(let call, let errno):
            "\(call): \(String(cString: strerror(errno))); \(remedy(for: errno))"
        case .refused(let status, let explanation, _):
            """
            the server refused with \(status), “\(escapedForLog(explanation))”; \
            \(remedy(forStatus: status))
            """
        case .tooManyRedirects(let limit):
            "the server redirected more than \(limit) times; use the URL of the final place"
        case .invalidRedirect(let location):
            """
            the server redirected to “\(escapedForLog(location))”, which is no URL or leads out of TLS; \
            correct the server's redirect
            """
        case .abnormalClose: "the connection ended without a goodbye; retry, see the peer's log"
        }
    }

    private func remedy(for errno: Int32) -> String {
        switch errno {
        case ECONNREFUSED: "check that the peer runs and listens on this port"
        case EADDRINUSE: "choose another port, or stop the program that has it"
        case EACCES, EPERM: "choose a port above 1023, or allow the program to use it"
        case EMFILE, ENFILE: "raise the limit of open files"
        case EADDRNOTAVAIL: "use an address of this machine"
        default: "check the network and retry"
        }
    }

    private func remedy(forStatus status: Int) -> String {
        switch status {
        case 401: "check user name and password, or the session"
        case 403: "ask for the right to sync this database"
        case 404: "check the database name in the URL"
        case 407: "give the proxy what it asks for"
        case 408, 429, 502, 503, 504: "retry later"
        default: "see the server's log"
        }
    }
}

extension TransportError.Wait {
    fileprivate var explanation: String {
        switch self {
        case .connection:
            "could not connect in time; check host, port and firewalls, and retry"
        case .pong: "the peer has fallen silent; retry, check the network"
        case .closeEcho: "the peer did not answer our goodbye; nothing is lost, go on"
        case .reading: "the peer does not read what is sent; retry, check the peer's load"
        }
    }
}
