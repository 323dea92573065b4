import DivanAuth
import DivanReplicator
import DivanSession
import Foundation
import Synchronization

/// The token of a `TokenAuthenticator`, and the one request for it that may be under way.
final class TokenCache: Sendable {
    typealias Provider = @Sendable (TokenAuthenticator.Reason) async throws -> AccessToken

    private struct State {
        var token: AccessToken?
        var obtained = Date.distantPast
        var wasRefused = false
        var question: Task<Void, any Error>?
    }

    private let margin: TimeInterval
    private let provider: Provider
    private let state = Mutex(State())

    init(margin: TimeInterval, provider: @escaping Provider) {
        self.margin = margin
        self.provider = provider
    }

    /// The token to send now.
    var token: AccessToken? { state.withLock { $0.token } }

    /// When a new token is due; `nil` if the current one does not expire, or there is none.
    var renewalDate: Date? {
        state.withLock { state in
            guard let expiry = state.token?.expirationDate else { return nil }
            let life = max(0, expiry.timeIntervalSince(state.obtained))
            return expiry.addingTimeInterval(-min(margin, life / 2))
        }
    }

    /// Discards a token that the server refused, unless it has been replaced meanwhile.
    func refuse(_ refused: AccessToken?) {
        state.withLock { state in
            guard state.token == refused else { return }
            state.token = nil
            state.wasRefused = true
        }
    }

    /// Makes sure that there is a token that stays valid for a while.
    ///
    /// - Throws: What the application's closure throws; `AuthenticationError` for a token that is not valid in a
    ///   header.
    func prepare() async throws {
        let isDue = renewalDate.map { $0 <= Date() } ?? false
        let question = state.withLock { state -> Task<Void, any Error>? in
            if let question = state.question { return question }
            guard state.token == nil || isDue else { return nil }
            let reason: TokenAuthenticator.Reason =
                state.wasRefused ? .refused : state.token == nil ? .first : .expiring
            let question = Task { try await self.ask(reason) }
            state.question = question
            return question
        }
        try await question?.value
    }

    private func ask(_ reason: TokenAuthenticator.Reason) async throws {
        defer { state.withLock { $0.question = nil } }
        let token = try await provider(reason)
        guard token.isSendable else { throw UnsendableToken() }
        state.withLock { state in
            state.token = token
            state.obtained = Date()
            state.wasRefused = false
        }
    }
}

/// A token that is empty, or has bytes that would break out of its header.
private struct UnsendableToken: Error, CustomStringConvertible {
    let description =
        "the token is empty, longer than 16,384 bytes, or contains characters other than letters, "
        + "digits and -._~+/="
}

extension AccessToken {
    /// Whether it is valid in a header: `b64token` of RFC 6750 §2.1.
    @_spi(Modern) public var isSendable: Bool {
        (1...16_384).contains(value.utf8.count)
            && value.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-._~+/=".utf8.contains(byte)
                }
            }
    }
}

/// One run's use of a token cache: the token it last sent, and whether one was already refused.
final class TokenUse: ClientAuthenticator, Sendable {
    private struct State {
        var sent: AccessToken?
        var refusalCount = 0
    }

    private let cache: TokenCache
    private let state = Mutex(State())

    init(_ cache: TokenCache) {
        self.cache = cache
    }

    func headers() -> [(name: String, value: String)] {
        guard let token = cache.token else { return [] }
        state.withLock { $0.sent = token }
        return [("Authorization", "Bearer \(token.value)")]
    }

    /// The credential source for the session, which asks before each attempt.
    var source: CredentialSource {
        CredentialSource(
            obtain: { answer in Task { answer(await self.obtain()) } },
            refused: { self.refused() },
            accepted: { self.accepted() }
        )
    }

    private func obtain() async -> CredentialSource.Outcome {
        do {
            try await cache.prepare()
            return .ready
        } catch is CancellationError {
            let text = "the application has no credentials: the user is not signed in"
            return .denied(SyncError(.http(.unauthorized), text, hasRemedy: true))
        } catch {
            let text = "the application could not fetch credentials: \(error)"
            let failure = SyncError(.http(.unauthorized), text, hasRemedy: true)
            return error is UnsendableToken ? .denied(failure) : .unavailable(failure)
        }
    }

    /// Another token is worth one try: the refused one may have expired in transit.
    private func refused() -> Bool {
        let (sent, count) = state.withLock { state in
            state.refusalCount += 1
            return (state.sent, state.refusalCount)
        }
        cache.refuse(sent)
        return count == 1
    }

    private func accepted() -> Duration? {
        state.withLock { $0.refusalCount = 0 }
        return cache.renewalDate.map { date in
            // At least a second: a token that is already old on arrival must not cause endless requests.
            .bounded(seconds: max(1, date.timeIntervalSinceNow))
        }
    }
}
