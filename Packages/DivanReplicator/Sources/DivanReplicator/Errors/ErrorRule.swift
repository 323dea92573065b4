import Glibc

/// What an error with a certain code means to a replication: whose fault it is, what the other side is
/// told, whether the connection is closed for it, and whether it helps to connect again.
///
/// `Docs/errors.md` shows the same table; a test compares the two.
///
/// Source: `errors.md` §3, §6, §7.
struct ErrorRule: Sendable {
    let code: WireCode
    let fault: SyncError.Fault
    /// What a peer is told in place of the code; `nil` is the code itself.
    var told: HTTPStatus?
    /// What the connection is closed with when a request other than `rev` fails so; `nil` goes on.
    var closes: CloseCode?
    var recovery: SyncError.Recovery = .none
    /// What happened, where nobody has said it: peers that close often give no reason.
    var problem: String?
    var remedy: String?

    /// The rule for an error; a code without a row has what its family has.
    static func of(_ error: SyncError) -> ErrorRule {
        let code = error.wireCode
        // The numbers of another platform are not looked up.
        if error.isFromPeer, case .posix = code { return family(of: code) }
        return rules[code] ?? family(of: code)
    }

    /// Errors that have a rule of their own, in the order of the page.
    static let all = http + close + liteCore + network + posix

    private static let rules = Dictionary(uniqueKeysWithValues: all.map { ($0.code, $0) })

    /// What holds for all other codes of a family.
    static func family(of code: WireCode) -> ErrorRule {
        switch code {
        case .liteCore: ErrorRule(code: code, fault: .storedData, told: .internalError)
        case .posix: ErrorRule(code: code, fault: .environment, told: .serviceUnavailable)
        case .sqlite: ErrorRule(code: code, fault: .storedData, told: .serviceUnavailable)
        case .network: ErrorRule(code: code, fault: .environment, told: .internalError)
        case .fleece, .mbedTLS: ErrorRule(code: code, fault: .peer, told: .internalError)
        case .http, .close: ErrorRule(code: code, fault: .peer)
        }
    }
}

// MARK: - The table

extension ErrorRule {
    private static func http(
        _ status: HTTPStatus,
        _ fault: SyncError.Fault,
        closes: CloseCode? = nil,
        recovery: SyncError.Recovery = .none,
        _ problem: String? = nil,
        remedy: String? = nil
    ) -> ErrorRule {
        ErrorRule(
            code: .http(status),
            fault: fault,
            closes: closes,
            recovery: recovery,
            problem: problem,
            remedy: remedy
        )
    }

    private static let tooLarge = "a document is too large for the peer"
    private static let makeSmaller = "make the document or its blobs smaller"
    private static let unreachable = "what stands before the peer cannot reach it"

    private static let http: [ErrorRule] = [
        http(.badRequest, .peer, closes: .doNotRetry, "the peer does not understand the request"),
        http(
            .unauthorized,
            .caller,
            "the credentials are missing or wrong",
            remedy: "check the user name and password"
        ),
        http(
            .forbidden,
            .caller,
            closes: .doNotRetry,
            "not allowed",
            remedy: "check what this user, or this replicator, may do"
        ),
        http(
            .notFound,
            .caller,
            "there is no such database, collection or document",
            remedy: "check that the database and its collections exist at the peer"
        ),
        http(.requestTimeout, .environment, recovery: .retry),
        http(
            .conflict,
            .caller,
            "somebody else changed the document first",
            remedy: "pull the document, so that the conflict can be resolved"
        ),
        http(.contentTooLarge, .caller, tooLarge, remedy: makeSmaller),
        http(.tooManyRequests, .environment, recovery: .retry, "too many attempts or connections"),
        http(.internalError, .peer, "the peer failed"),
        http(.badGateway, .environment, recovery: .retry, unreachable),
        http(
            .serviceUnavailable,
            .environment,
            closes: .retryLater,
            recovery: .retry,
            "the peer is overloaded or shutting down"
        ),
        http(.gatewayTimeout, .environment, recovery: .retry, unreachable),
    ]

    private static func close(
        _ code: CloseCode,
        _ fault: SyncError.Fault,
        recovery: SyncError.Recovery = .none,
        _ problem: String,
        remedy: String? = nil
    ) -> ErrorRule {
        ErrorRule(
            code: .close(code),
            fault: fault,
            recovery: recovery,
            problem: problem,
            remedy: remedy
        )
    }

    private static let misunderstood = "the two sides do not understand each other"

    private static let close: [ErrorRule] = [
        close(
            .goingAway,
            .environment,
            "the peer has stopped",
            remedy: "start it there, then here again; what came through is kept"
        ),
        close(.protocolError, .peer, misunderstood),
        close(.unsupportedData, .peer, misunderstood),
        close(.abnormal, .environment, recovery: .retry, "the connection ended without a goodbye"),
        close(.badFormat, .peer, misunderstood),
        close(.policy, .peer, "a message breaks the peer's policy"),
        close(.tooBig, .caller, tooLarge, remedy: makeSmaller),
        close(.missingExtension, .peer, misunderstood),
        close(.cannotFulfil, .peer, "the peer failed"),
        close(.retryLater, .environment, recovery: .retry, "the peer is restarting or overloaded"),
        close(.doNotRetry, .peer, "the peer asks not to try again"),
    ]

    private static func liteCore(
        _ code: LiteCoreCode,
        _ fault: SyncError.Fault,
        told: HTTPStatus = .internalError,
        closes: CloseCode? = nil
    ) -> ErrorRule {
        ErrorRule(code: .liteCore(code), fault: fault, told: told, closes: closes)
    }

    /// What keeps the store from working is told as 503: nothing is wrong with what the peer sent, and
    /// it must come again (`errors.md` §7).
    private static let liteCore: [ErrorRule] = [
        liteCore(.badRevisionID, .peer, told: .badRequest),
        liteCore(.corruptRevision, .peer, told: .badRequest),
        liteCore(.notOpen, .caller, told: .serviceUnavailable),
        liteCore(.notFound, .caller, told: .notFound),
        liteCore(.conflict, .caller, told: .conflict),
        liteCore(.invalidParameter, .caller, told: .badRequest),
        liteCore(.unexpected, .caller, closes: .doNotRetry),
        liteCore(.cannotOpenFile, .environment, told: .serviceUnavailable),
        liteCore(.inputOutput, .environment, told: .serviceUnavailable),
        liteCore(.memory, .environment, told: .serviceUnavailable),
        liteCore(.notWriteable, .environment, told: .serviceUnavailable),
        liteCore(.corruptData, .storedData),
        liteCore(.busy, .environment, told: .serviceUnavailable),
        liteCore(.unsupported, .storedData),
        liteCore(.notADatabase, .storedData),
        liteCore(.remoteError, .peer, closes: .doNotRetry),
        liteCore(.databaseTooNew, .storedData),
        liteCore(.badDocumentID, .peer, told: .badRequest),
        liteCore(.deltaBaseUnknown, .peer, told: .unprocessable),
        liteCore(.corruptDelta, .peer, told: .unprocessable),
    ]

    private static func network(_ code: NetworkCode, _ recovery: SyncError.Recovery) -> ErrorRule {
        ErrorRule(
            code: .network(code),
            fault: .environment,
            told: .internalError,
            recovery: recovery
        )
    }

    private static let network: [ErrorRule] = [
        network(.nameLookup, .retry),
        network(.unknownHost, .whenContinuous),
        network(.timeout, .retry),
        network(.networkReset, .retry),
        network(.connectionAborted, .retry),
        network(.connectionReset, .retry),
        network(.connectionRefused, .retry),
        network(.networkDown, .whenContinuous),
        network(.networkUnreachable, .whenContinuous),
        network(.notConnected, .whenContinuous),
        network(.hostDown, .whenContinuous),
        network(.hostUnreachable, .whenContinuous),
        network(.addressNotAvailable, .whenContinuous),
        network(.brokenPipe, .whenContinuous),
        network(.unknownInterface, .whenContinuous),
    ]

    private static func posix(
        _ number: Int32,
        _ recovery: SyncError.Recovery = .none,
        closes: CloseCode? = nil,
        remedy: String? = nil
    ) -> ErrorRule {
        ErrorRule(
            code: .posix(Int(number)),
            fault: .environment,
            told: .serviceUnavailable,
            closes: closes,
            recovery: recovery,
            remedy: remedy
        )
    }

    /// They are Linux's numbers: a POSIX code from another platform must not be looked up here.
    private static let posix: [ErrorRule] = [
        posix(ENOSPC, closes: .doNotRetry, remedy: "free some disk space"),
        posix(EPIPE, .whenContinuous),
        posix(EADDRNOTAVAIL, .whenContinuous),
        posix(ENETDOWN, .whenContinuous),
        posix(ENETUNREACH, .whenContinuous),
        posix(ENETRESET, .retry),
        posix(ECONNABORTED, .retry),
        posix(ECONNRESET, .retry),
        posix(ENOTCONN, .whenContinuous),
        posix(ETIMEDOUT, .retry),
        posix(ECONNREFUSED, .retry),
        posix(EHOSTDOWN, .whenContinuous),
        posix(EHOSTUNREACH, .whenContinuous),
    ]
}
