public import DivanAuth

/// Sends a token that the application supplies.
public struct BearerAuthenticator: ClientAuthenticator {
    private let token: String

    /// Sends a token of letters, digits and `-._~+/=`; `nil` for other tokens.
    public init?(token: String) {
        let isSound = token.utf8.allSatisfy { byte in
            Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber
                || "-._~+/=".utf8.contains(byte)
        }
        guard isSound, !token.isEmpty else { return nil }
        self.token = token
    }

    /// The `Authorization` field.
    public func headers() -> [(name: String, value: String)] {
        [("Authorization", "Bearer \(token)")]
    }
}

/// Accepts only the users of a list, by name and password.
public struct ListedUsersAuthenticator: ListenerAuthenticator {
    /// Keyed by bytes: `String` treats two encodings of a letter as equal.
    private let passwords: [[UInt8]: [UInt8]]

    /// Creates an authenticator for names and passwords.
    public init(_ users: [(name: String, password: String)]) {
        passwords = Dictionary(
            users.map { (Array($0.name.utf8), Array($0.password.utf8)) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// Only this field gives access, so only wrong values in it are counted.
    public var credentialFields: [String] { ["Authorization"] }

    /// Compares the whole password, even if the first bytes differ.
    public func authenticate(_ request: AuthenticationRequest) -> AuthenticationOutcome {
        guard let given = request.credentials, let password = passwords[Array(given.username.utf8)],
            Self.isEqual(password, Array(given.password.utf8))
        else { return .basicChallenge }
        return .accepted(user: given.username)
    }

    private static func isEqual(_ known: [UInt8], _ given: [UInt8]) -> Bool {
        guard !known.isEmpty else { return given.isEmpty }
        var difference = known.count ^ given.count
        for (index, byte) in given.enumerated() {
            difference |= Int(byte ^ known[index % known.count])
        }
        return difference == 0
    }
}
