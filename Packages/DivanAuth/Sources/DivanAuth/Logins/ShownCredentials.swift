import DivanCrypto

/// What a client presents, as far as an authenticator examines it: a name, something else that may
/// let it in, or both.
public struct ShownCredentials: Sendable, Equatable {
    /// The user name that it gives, true or not.
    public let name: String?
    /// A digest of everything that it presents, if not only name and password may let it in: a token, a cookie,
    /// a key in a field of its own, a certificate.
    ///
    /// Such credentials are secrets. Somebody who guesses them with a new name each time would never have to
    /// wait, so with a token a name counts only if it has logged in before.
    public let token: [UInt8]?

    /// Examines a request; `nil` if it presents nothing, and only asks what is needed.
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
