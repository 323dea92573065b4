public import DivanAuth

/// Authenticates clients with an implementation of `ListenerAuthenticator` of DivanAuth; use it as `.custom(_:)`.
///
/// An addition to the official API.
public struct AdaptedListenerAuthenticator: ListenerAuthenticator, Sendable {
    let authenticator: any DivanAuth.ListenerAuthenticator

    /// Adapts an authenticator; `ListenerAuthenticatorContract` tests one.
    public init(_ authenticator: any DivanAuth.ListenerAuthenticator) {
        self.authenticator = authenticator
    }
}

extension ListenerAuthenticator where Self == AdaptedListenerAuthenticator {
    /// Authenticates clients with an implementation of `ListenerAuthenticator` of DivanAuth.
    public static func custom(_ authenticator: any DivanAuth.ListenerAuthenticator) -> Self {
        Self(authenticator)
    }
}
