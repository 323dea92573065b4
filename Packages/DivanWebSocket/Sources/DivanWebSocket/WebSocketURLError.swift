/// An invalid URL, and the required change.
public struct WebSocketURLError: Error, Equatable {
    /// The part that is wrong.
    public enum Part: Equatable, Sendable {
        /// The scheme is neither `ws` nor `wss`.
        case scheme
        /// Host or port is missing or malformed.
        case host
        /// There is a user name or password before the host.
        case credentials
        /// The path does not end in a database name of 1 to 239 bytes.
        case database
        /// The path already ends in `_blipsync`.
        case endpointPath
        /// A query or fragment is present.
        case query
        /// A character must be percent-encoded.
        case character
    }

    /// The URL without the text before an `@`, which may contain a password.
    public let text: String
    /// The part that is wrong.
    public let part: Part

    init(_ text: String, _ part: Part) {
        self.text = Self.withoutCredentials(text)
        self.part = part
    }

    /// A URL that a user entered, without the text before an `@`, which may contain a password.
    public static func withoutCredentials(_ text: String) -> String {
        let authority = text.firstRange(of: "://")?.upperBound ?? text.startIndex
        let scheme = text[..<authority]
        let rest = text[authority...]
        // By bytes: an @ followed by an accent is a different character.
        let secret = rest.utf8.lastIndex(of: UInt8(ascii: "@"))
        return secret.map { "\(scheme)…\(rest[$0...])" } ?? text
    }
}

extension WebSocketURLError: CustomStringConvertible {
    /// One line: place, problem, remedy.
    public var description: String {
        let (problem, remedy) = explanation
        return "URL '\(text)': \(problem); \(remedy)"
    }

    private var explanation: (problem: String, remedy: String) {
        switch part {
        case .scheme: ("the scheme is neither ws nor wss", "begin with wss:// or ws://")
        case .host:
            ("malformed host or port", "write host:port, with IPv6 addresses in brackets")
        case .credentials:
            (
                "the URL contains a user name or password",
                "set an authenticator in the configuration"
            )
        case .database:
            ("the path does not end with a database name", "append /<database name>")
        case .endpointPath: ("the path ends with _blipsync", "end it with the database name")
        case .query: ("the URL has a query or fragment", "end it with the database name")
        case .character: ("invalid character", "percent-encode it")
        }
    }
}
