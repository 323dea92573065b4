import DivanCrypto

/// The credentials of a client that an authenticator checks: a name, other credentials, or both.
public struct PresentedCredentials: Sendable, Equatable {
    /// The claimed user name, which is not verified.
    public let name: String?
    /// A digest of all its credentials, if they include more than name and password: a token, a cookie, a key in a
    /// custom field, a certificate.
    ///
    /// Such credentials are secrets. An attacker who guesses them with a new name each time would never have to
    /// wait, so with a token, a name counts only if it has logged in before.
    public let token: [UInt8]?

    /// Creates the credentials of a request; `nil` if it has none, and only asks which are required.
    public init?(_ request: AuthenticationRequest, to authenticator: any ListenerAuthenticator) {
        guard authenticator.showsCredentials(request) else { return nil }
        let showsMore = authenticator.showsCredentials(request.withoutAuthorization)
        name = request.credentials?.username
        token =
            showsMore || name == nil
            ? Self.digest(of: request, authenticator.credentialFields) : nil
    }

    private static func digest(of request: AuthenticationRequest, _ fields: [String]) -> [UInt8] {
        // Each with its length, so that no two lists give the same bytes.
        let parts = request.telling(fields).flatMap { field in
            [Array(field.name.lowercased().utf8), Array(field.value.utf8)]
        }
        let bytes = (parts + request.certificates).flatMap { Array("\($0.count):".utf8) + $0 }
        return SHA256.digest(of: bytes.span)
    }
}
