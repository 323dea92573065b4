import DivanCrypto

/// What a client shows of itself, as far as an authenticator looks at it: a name, something else that may
/// let it in, or both.
public struct ShownCredentials: Sendable, Equatable {
    /// The user name that it gives, true or not.
    public let name: String?
    /// A digest of all that it shows where not only name and password may let it in: a token, a cookie, a
    /// key in a field of its own, a certificate.
    ///
    /// What it stands for is a secret. Who made up a name with each guess at that would not wait, so beside
    /// it only a name counts that has logged in before.
    public let token: [UInt8]?

    /// Looks at a request; `nil` where it shows nothing, and only asks what is needed.
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
