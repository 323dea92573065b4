public import DivanCrypto

/// Accepts the users of a fixed list.
///
/// The response time depends on the length of the list and of the credentials, but not on how much of them is right
/// or whether the user exists. Passwords are kept as salted digests, so that core dumps do not contain them; the
/// digests are not suitable for storage.
public struct PasswordListAuthenticator: ListenerAuthenticator {
    private let salt: [UInt8]
    private let digests: [[UInt8]]

    /// Creates an authenticator that accepts these users; `random` provides the salt.
    public init(
        _ users: [BasicCredentials],
        random: some RandomSource = SystemRandomSource()
    ) {
        let salt = random.bytes(16)
        self.salt = salt
        digests = users.map { Self.digest($0, salt: salt) }
    }

    /// Accepts the users on the list.
    public func authenticate(_ request: AuthenticationRequest) -> AuthenticationOutcome {
        guard let credentials = request.credentials else { return .basicChallenge }
        let digest = Self.digest(credentials, salt: salt)
        // All are compared: stopping at the first would reveal where in the list a user is.
        var isListed = false
        for listed in digests {
            let isSame = isEqualInConstantTime(listed.span, digest.span)
            isListed = isSame || isListed
        }
        return isListed ? .accepted(user: credentials.username) : .basicChallenge
    }

    /// Only the `Authorization` field is checked.
    public var credentialFields: [String] { ["Authorization"] }

    private static func digest(_ credentials: BasicCredentials, salt: [UInt8]) -> [UInt8] {
        // A user name contains no colon, so no two pairs give the same bytes.
        let text = "\(credentials.username):\(credentials.password)"
        return SHA256.digest(of: (salt + Array(text.utf8)).span)
    }
}
