public import Foundation

/// A bearer token (RFC 6750), as issued by an identity provider.
public struct AccessToken: Sendable, Equatable {
    /// The token: 1 to 16,384 letters, digits and `-._~+/=`.
    public var value: String
    /// When it expires; `nil` if unknown.
    public var expirationDate: Date?

    /// Creates a token.
    public init(_ value: String, expirationDate: Date? = nil) {
        self.value = value
        self.expirationDate = expirationDate
    }
}

extension AccessToken: CustomStringConvertible, CustomReflectable {
    /// A text without the token, which must stay secret.
    public var description: String { "bearer token" }

    /// Empty, so that `dump` and `String(reflecting:)` do not show the token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Authenticates with a bearer token that the application provides, and renews it as needed.
///
/// The closure is called before the first connection, when the server rejects the token (401), and before the token
/// expires. Only one call runs at a time. Replicators that share an authenticator share its token.
///
/// Meanwhile, a replicator without a connection is `connecting`, and `needsCredentials` is true. If the closure throws
/// an error, the replicator goes `offline` with code 10401 and retries later. A `CancellationError`, or a second
/// rejected token in a row, stops the replicator with 10401. Open connections are not closed for a new token, because
/// servers only check it at the start of a connection.
///
/// An addition to the official API.
///
/// ```swift
/// configuration.authenticator = TokenAuthenticator { reason in
///     let answer = try await identityProvider.token(isForced: reason == .refused)
///     return AccessToken(answer.text, expirationDate: answer.expiry)
/// }
/// ```
public final class TokenAuthenticator: Authenticator, Sendable {
    /// Why a token is requested.
    public enum Reason: Sendable {
        /// No token has been fetched yet.
        case first
        /// The token expires soon or has expired.
        case expiring
        /// The server rejected the last token.
        case refused
    }

    let cache: TokenCache

    /// Creates an authenticator.
    ///
    /// - Parameters:
    ///   - margin: How many seconds before its expiry a token is renewed, 0 to 86,400; at most half of its lifetime.
    ///   - provider: Fetches a token. Called on any thread; may be slow.
    public init(
        renewingBefore margin: TimeInterval = 60,
        provider: @escaping @Sendable (Reason) async throws -> AccessToken
    ) {
        cache = TokenCache(margin: min(max(0, margin), 86_400), provider: provider)
    }
}
