import DivanCrypto
import DivanHTTP
import Synchronization

/// Authenticates clients by the bearer tokens of an issuer; others may be authenticated by another authenticator.
///
/// A token that was verified is remembered by its digest until it expires or the keys change, so that a returning client
/// costs a digest instead of a signature. Can be used from any thread.
///
/// ```swift
/// let authenticator = TokenListenerAuthenticator(verifier, keys: keys) { Double(WallClock.seconds()) }
/// ```
public final class TokenListenerAuthenticator: ListenerAuthenticator {
    /// Tokens that are remembered; others are verified again.
    private static let tokenCount = 10_000

    private struct State {
        var keys: TokenKeySet
        /// How often the keys have changed.
        var edition: UInt64 = 0
        var verified: [[UInt8]: VerifiedToken] = [:]
        /// Whether there were too many tokens to remember all.
        var isIncomplete = false
    }

    private let verifier: TokenVerifier
    private let other: (any ListenerAuthenticator)?
    private let accepts: @Sendable (VerifiedToken) -> Bool
    private let now: @Sendable () -> Double
    private let state: Mutex<State>

    /// Creates an authenticator.
    ///
    /// - Parameters:
    ///   - verifier: The rules for tokens.
    ///   - keys: The issuer's keys.
    ///   - other: Authenticates clients without a bearer token; `nil` refuses them.
    ///   - accepts: Whether a valid token gives access.
    ///   - now: Returns the time in seconds since 1970.
    public init(
        _ verifier: TokenVerifier,
        keys: TokenKeySet,
        otherwise other: (any ListenerAuthenticator)? = nil,
        accepting accepts: @escaping @Sendable (VerifiedToken) -> Bool = { _ in true },
        now: @escaping @Sendable () -> Double
    ) {
        self.verifier = verifier
        self.other = other
        self.accepts = accepts
        self.now = now
        state = Mutex(State(keys: keys))
    }

    /// Changes the keys; tokens signed with other keys are no longer valid.
    public func replace(keys: TokenKeySet) {
        state.withLock { $0 = State(keys: keys, edition: $0.edition + 1) }
    }

    /// Verifies a token.
    ///
    /// - Throws: `TokenError`.
    public func verify(_ token: String) throws(TokenError) -> VerifiedToken {
        let digest = SHA256.digest(of: Array(token.utf8).span)
        let (known, keys, edition) = state.withLock { ($0.verified[digest], $0.keys, $0.edition) }
        let now = now()
        if let known {
            // It stays until `dropExpired`, which reports it.
            guard now < known.expiration else { throw .expired }
            return known
        }
        let verified = try verifier.verify(token, keys: keys, at: now)
        state.withLock { state in
            // The keys may have changed meanwhile.
            guard state.edition == edition else { return }
            if state.verified.count >= Self.tokenCount {
                state.isIncomplete = true
                state.verified = state.verified.filter { now < $0.value.expiration }
            }
            if state.verified.count >= Self.tokenCount { state.verified = [:] }
            state.verified[digest] = verified
        }
        return verified
    }

    /// Forgets tokens that have expired; returns whether there may have been any since the last call.
    ///
    /// Call it regularly, and close the connections of clients whose tokens are no longer valid.
    public func dropExpired() -> Bool {
        let now = now()
        return state.withLock { state in
            let count = state.verified.count
            state.verified = state.verified.filter { now < $0.value.expiration }
            // A forgotten token of an open connection is remembered again when the connection is checked.
            defer { state.isIncomplete = false }
            return state.isIncomplete || state.verified.count < count
        }
    }

    /// Accepts a client with a valid token, or one that the other authenticator accepts.
    public func authenticate(_ request: AuthenticationRequest) -> AuthenticationOutcome {
        guard let token = request.bearerToken else {
            return other?.authenticate(request) ?? .refused(challenge: "Bearer")
        }
        do throws(TokenError) {
            let verified = try verify(token)
            guard accepts(verified) else {
                return .refused(challenge: #"Bearer error="insufficient_scope""#)
            }
            return .accepted(user: verified.user)
        } catch {
            // A fixed text per case; no part of the token.
            return .refused(challenge: #"Bearer error="invalid_token""#)
        }
    }

    /// `Authorization`, and the fields of the other authenticator.
    public var credentialFields: [String] {
        let fields = other?.credentialFields ?? []
        return fields.contains { $0.isEqualIgnoringCase("authorization") }
            ? fields : fields + ["Authorization"]
    }
}

extension AuthenticationRequest {
    /// The bearer token in `authorization`; `nil` for another scheme.
    ///
    /// Source: RFC 6750 §2.1.
    public var bearerToken: String? {
        guard let authorization else { return nil }
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].isEqualIgnoringCase("bearer") else { return nil }
        return String(parts[1].drop { $0 == " " })
    }
}
