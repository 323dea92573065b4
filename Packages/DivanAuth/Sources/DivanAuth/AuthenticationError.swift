/// Local credentials that cannot be sent in an HTTP header.
public enum AuthenticationError: Error, Equatable, Sendable {
    /// A user name with a colon; the server would treat the rest as the password.
    case colonInUsername(String)
    /// A control character in the named part.
    case controlCharacter(String)
    /// A cookie name that is empty or not a token of RFC 9110 §5.6.2.
    case cookieName(String)
    /// A session ID that is empty or contains white space, quotes, commas, semicolons or backslashes.
    case sessionID
    /// Stored cookies that cannot be read; the line number counts from 1.
    case storedCookies(line: Int)
}

extension AuthenticationError: CustomStringConvertible {
    /// One line: location, problem, remedy; never a secret.
    public var description: String {
        switch self {
        case .colonInUsername(let username):
            "Basic authentication: user name \(username.debugDescription) contains a colon; "
                + "rename the user"
        case .controlCharacter(let part):
            "Basic authentication: \(part) contains a control character; remove it"
        case .cookieName(let name):
            "session: invalid cookie name \(name.debugDescription); use letters, digits, - and _"
        case .sessionID:
            "session: the ID is empty or contains characters not allowed in a cookie; "
                + "pass the session_id from the server's response"
        case .storedCookies(let line):
            "stored cookies: cannot read line \(line); delete them and log in again"
        }
    }
}
