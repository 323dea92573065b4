import DivanCrypto
import DivanHTTP

/// A user name and password, and the `Authorization` value that carries them.
///
/// Source: RFC 7617; `tls-and-auth.md` §4, §5; `vectors/handshake.json`.
public struct BasicCredentials: Sendable, Equatable {
    /// The user's name; contains no colon.
    public let username: String
    /// The password; may contain colons.
    public let password: String

    /// Creates credentials from a user name and a password.
    ///
    /// - Throws: `AuthenticationError` if they cannot be sent in the header.
    public init(username: String, password: String) throws(AuthenticationError) {
        guard !username.utf8.contains(UInt8(ascii: ":")) else { throw .colonInUsername(username) }
        guard !username.utf8.contains(where: isControl) else {
            throw .controlCharacter("user name")
        }
        guard !password.utf8.contains(where: isControl) else { throw .controlCharacter("password") }
        self.username = username
        self.password = password
    }

    /// Parses the value of an `Authorization` header.
    ///
    /// Returns `nil` unless the scheme is Basic, in any letter case, and the rest is
    /// strict Base64 of UTF-8 with a colon; the first colon ends the user name.
    public init?(header: String) {
        guard header.utf8.count <= AuthLimits.authorizationByteCount else { return nil }
        let scheme = header.utf8.drop { $0 == UInt8(ascii: " ") }
            .prefix { $0 != UInt8(ascii: " ") }
        let token = header.utf8[scheme.endIndex...].drop { $0 == UInt8(ascii: " ") }
        guard Substring(scheme).isEqualIgnoringCase("basic"),
            let bytes = Base64.decode(Substring(token)),
            let text = String(validating: bytes, as: UTF8.self)
        else { return nil }
        // By bytes: a colon followed by a combining mark is still a colon.
        let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
        guard let colon, !bytes.contains(where: isControl) else { return nil }
        username = String(decoding: text.utf8[..<colon], as: UTF8.self)
        password = String(decoding: text.utf8[text.utf8.index(after: colon)...], as: UTF8.self)
    }

    /// The value of the `Authorization` header.
    public var header: String {
        "Basic " + Base64.encode(Array("\(username):\(password)".utf8).span)
    }
}

extension BasicCredentials: CustomStringConvertible, CustomReflectable {
    /// Only the user name: passwords must not be logged.
    public var description: String { "password of \(username.debugDescription)" }

    /// Only the user name, so that `dump` and `String(reflecting:)` hide the password too.
    public var customMirror: Mirror { Mirror(self, children: ["username": username]) }
}

/// RFC 7617 §2: neither part may contain control characters.
func isControl(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == 0x7F
}
