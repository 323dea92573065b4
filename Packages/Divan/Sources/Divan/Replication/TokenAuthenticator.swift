public import Foundation

/// A bearer token (RFC 6750), as an identity provider issues it.
public struct AccessToken: Sendable, Equatable {
    /// What is sent behind `Bearer `: 1 to 16,384 letters, digits and `-._~+/=`.
    public var value: String
    /// When it expires; `nil` when that is not known.
    public var expirationDate: Date?

    /// Creates a token.
    public init(_ value: String, expirationDate: Date? = nil) {
        self.value = value
        self.expirationDate = expirationDate
    }
}

extension AccessToken: CustomStringConvertible, CustomReflectable {
    /// Without the token: whoever has it is the user.
    public var description: String { "bearer token" }

    /// Without the token, so that `dump` and `String(reflecting:)` hide it too.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Proves who the user is by a bearer token that the application fetches, and renews by itself.
///
/// The application is asked before the first connection, when the server refuses the token (401), and
/// before the token expires. It is asked once at a time; replicators that share an authenticator
/// share its token.
///
/// While it is asked, a replicator that has no connection is `connecting`, and its status says
/// `needsCredentials`. An error that the closure throws makes it `offline` with code 10401, and asks
/// again later as after a lost connection; a `CancellationError`, or a second refusal in a row, ends
/// the run with 10401. A connection that stands is never cut for a new token: servers look at it when
/// a connection begins.
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
    /// Why a token is asked for.
    public enum Reason: Sendable {
        /// There is none yet.
        case first
        /// The one in use expires soon, or has expired.
        case expiring
        /// The server refused the last one.
        case refused
    }

    let shelf: TokenShelf

    /// Creates an authenticator.
    ///
    /// - Parameters:
    ///   - margin: Seconds before the expiry at which a new token is asked for, 0 to 86,400; at most
    ///     half of the token's life.
    ///   - provider: Fetches a token; called on any thread. It may take its time.
    public init(
        renewingBefore margin: TimeInterval = 60,
        provider: @escaping @Sendable (Reason) async throws -> AccessToken
    ) {
        shelf = TokenShelf(margin: min(max(0, margin), 86_400), provider: provider)
    }
}
