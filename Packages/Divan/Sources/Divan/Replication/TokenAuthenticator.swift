public import Foundation

/// A bearer token (RFC 6750), as issued by an identity provider.
public struct AccessToken: Sendable, Equatable {
    /// The text sent after `Bearer `: 1 to 16,384 letters, digits and `-._~+/=`.
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
    /// Omits the token: whoever has it can act as the user.
    public var description: String { "bearer token" }

    /// Omits the token, so that `dump` and `String(reflecting:)` hide it too.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Authenticates with a bearer token that the application fetches, and renews it as needed.
///
/// The application is asked before the first connection, when the server refuses the token (401), and before the token
/// expires. Only one request runs at a time; replicators that share an authenticator share its token.
///
/// Meanwhile a replicator without a connection is `connecting`, with `needsCredentials` in its status. If the closure
/// throws an error, the replicator goes `offline` with code 10401, and asks again later as after a lost connection; a
/// `CancellationError`, or a second refusal in a row, ends the run with 10401. An open connection is never closed for a
/// new token: servers only check it when a connection begins.
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
        /// There is no token yet.
        case first
        /// The token in use expires soon, or has expired.
        case expiring
        /// The server refused the last token.
        case refused
    }

    let shelf: TokenShelf

    /// Creates an authenticator.
    ///
    /// - Parameters:
    ///   - margin: Seconds before the expiry at which a new token is requested, 0 to 86,400; at most half of the
    ///     token's lifetime.
    ///   - provider: Fetches a token; may be called on any thread, and may take its time.
    public init(
        renewingBefore margin: TimeInterval = 60,
        provider: @escaping @Sendable (Reason) async throws -> AccessToken
    ) {
        shelf = TokenShelf(margin: min(max(0, margin), 86_400), provider: provider)
    }
}
