public import DivanAuth
public import DivanTLS

/// Authenticates with an implementation of `ClientAuthenticator` of DivanAuth; use it as `.custom(_:)`.
///
/// An addition to the official API.
///
/// ```swift
/// configuration.authenticator = .custom(BearerAuthenticator(token: token))
/// ```
public struct AdaptedAuthenticator: Authenticator, Sendable {
    let authenticator: any ClientAuthenticator

    /// Adapts an authenticator; `ClientAuthenticatorContract` tests one.
    public init(_ authenticator: any ClientAuthenticator) {
        self.authenticator = authenticator
    }
}

extension Authenticator where Self == AdaptedAuthenticator {
    /// Authenticates with an implementation of `ClientAuthenticator` of DivanAuth.
    public static func custom(_ authenticator: any ClientAuthenticator) -> Self {
        Self(authenticator)
    }
}

/// A client certificate from an identity store, read at each start of the replicator.
///
/// A renewed identity is used without a new configuration. If the store has no identity with the label, the replicator
/// stops with `crypto` (22). An addition to the official API.
public struct StoredIdentityAuthenticator: Authenticator, Sendable {
    /// The label of the identity.
    public let label: String
    /// The store, an implementation of `TLSIdentityStore` of DivanTLS.
    public let store: any TLSIdentityStore

    /// Creates an authenticator.
    public init(label: String, in store: any TLSIdentityStore) {
        self.label = label
        self.store = store
    }

    func credential() throws -> TLSCredential {
        guard let credential = try store.credential(label: label) else {
            throw PlugInFailure.missingIdentity(label: label)
        }
        return credential
    }
}
