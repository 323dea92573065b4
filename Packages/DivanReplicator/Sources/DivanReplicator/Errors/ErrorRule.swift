/// Who is responsible for an error.
public enum ErrorFault: Sendable {
    /// The other side violated a rule, or failed.
    case peer
    /// The application: credentials, rights, names, sizes, a closed database.
    case caller
    /// The network, the disk, or something between the two sides.
    case environment
    /// The data stored here.
    case storedData
}

/// Whether reconnecting helps after an error.
public enum ErrorRecovery: Sendable {
    /// It does not help.
    case none
    /// It may help, even in one-shot replications.
    case retry
    /// A network change may help; only continuous replications wait for one.
    case whenContinuous
}

/// The meaning of an error code for a replication: who is responsible, what the other side is told, whether it closes
/// the connection, and whether reconnecting helps.
///
/// `Docs/errors.md` shows the same table; a test compares the two.
///
/// Source: `errors.md` §3, §6, §7.
struct ErrorRule: Sendable {
    let code: WireCode
    var fault: ErrorFault
    /// What a peer is told instead of the code; `nil` means the code itself.
    var told: HTTPStatus?
    /// The close code for the connection if a request other than `rev` fails with this; `nil` means it continues.
    var closes: CloseCode?
    var recovery: ErrorRecovery = .none
    /// The message if there is none: peers that close often give no reason.
    var problem: String?
    var remedy: String?

    /// The rule for a code; a code without a row has the rule of its family.
    static func of(_ code: WireCode, isFromPeer: Bool) -> ErrorRule {
        // Numbers of another platform are not looked up.
        if isFromPeer, case .posix = code { return family(of: code) }
        return rules[code] ?? family(of: code)
    }

    /// Errors with their own rule, in the order of the page.
    static let all = http + close + liteCore + network + posix

    private static let rules = Dictionary(uniqueKeysWithValues: all.map { ($0.code, $0) })

    /// The rule for all other codes of a family.
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
    private static func rule(_ code: WireCode, _ fault: ErrorFault) -> ErrorRule {
        var rule = family(of: code)
        rule.fault = fault
        return rule
    }

    private func told(as status: HTTPStatus) -> ErrorRule { with(\.told, status) }
    private func closing(with code: CloseCode) -> ErrorRule { with(\.closes, code) }
    private func helped(by way: ErrorRecovery) -> ErrorRule { with(\.recovery, way) }
    private func saying(_ problem: String) -> ErrorRule { with(\.problem, problem) }
    private func advising(_ remedy: String) -> ErrorRule { with(\.remedy, remedy) }

    private func with<Value>(
        _ member: WritableKeyPath<ErrorRule, Value>,
        _ value: Value
    ) -> ErrorRule {
        var rule = self
        rule[keyPath: member] = value
        return rule
    }

    private static let http: [ErrorRule] = [
        rule(.http(.badRequest), .peer).closing(with: .doNotRetry)
            .saying("the peer rejected the request as invalid"),
        rule(.http(.unauthorized), .caller).saying("the credentials are missing or wrong")
            .advising("check the user name and password"),
        rule(.http(.forbidden), .caller).closing(with: .doNotRetry).saying("not allowed")
            .advising("check the permissions of the user and of the replicator"),
        rule(.http(.notFound), .caller)
            .saying("the database, collection or document does not exist on the peer")
            .advising("check the database and collection names"),
        rule(.http(.requestTimeout), .environment).helped(by: .retry),
        rule(.http(.conflict), .caller).saying("the document was changed on the peer")
            .advising("pull the document to resolve the conflict"),
        rule(.http(.contentTooLarge), .caller).saying("the document is too large for the peer")
            .advising("reduce the size of the document or its blobs"),
        rule(.http(.tooManyRequests), .environment).helped(by: .retry)
            .saying("too many attempts or connections"),
        rule(.http(.internalError), .peer).saying("internal error on the peer"),
        rule(.http(.badGateway), .environment).helped(by: .retry)
            .saying("a proxy or load balancer cannot reach the peer"),
        rule(.http(.serviceUnavailable), .environment).closing(with: .retryLater)
            .helped(by: .retry).saying("the peer is overloaded or shutting down"),
        rule(.http(.gatewayTimeout), .environment).helped(by: .retry)
            .saying("a proxy or load balancer cannot reach the peer"),
    ]

    private static let close: [ErrorRule] =
        [
            rule(.close(.goingAway), .environment).helped(by: .whenContinuous)
                .saying("the peer stopped")
                .advising("restart the peer, then this replication; it resumes where it stopped"),
            rule(.close(.abnormal), .environment).helped(by: .retry)
                .saying("the connection was lost"),
            rule(.close(.policy), .peer).saying("a message violates the peer's policy"),
            rule(.close(.tooBig), .caller).saying("a document is too large for the peer")
                .advising("reduce the size of the document or its blobs"),
            rule(.close(.cannotFulfil), .peer).saying("internal error on the peer"),
            rule(.close(.retryLater), .environment).helped(by: .retry)
                .saying("the peer is restarting or overloaded"),
            rule(.close(.doNotRetry), .peer).saying("the peer asked not to retry"),
        ]
        + [.serviceRestart, .overloaded, .badGateway].map {
            rule(.close($0), .environment).helped(by: .retry)
                .saying("the peer, or a proxy in front of it, is restarting or overloaded")
        }
        + [.protocolError, .unsupportedData, .badFormat, .missingExtension].map {
            rule(.close($0), .peer).saying("the two sides use incompatible protocols")
        }

    /// Errors that keep the store from working are reported as 503: what the peer sent is valid, and must be sent again
    /// (`errors.md` §7).
    private static let liteCore: [ErrorRule] =
        [
            rule(.liteCore(.notFound), .caller).told(as: .notFound),
            rule(.liteCore(.conflict), .caller).told(as: .conflict),
            rule(.liteCore(.invalidParameter), .caller).told(as: .badRequest),
            rule(.liteCore(.notOpen), .caller).told(as: .serviceUnavailable),
            rule(.liteCore(.crypto), .caller).told(as: .forbidden),
            rule(.liteCore(.unexpected), .caller).closing(with: .doNotRetry),
            rule(.liteCore(.remoteError), .peer).closing(with: .doNotRetry),
        ]
        + [.cannotOpenFile, .inputOutput, .memory, .notWriteable, .busy].map {
            rule(.liteCore($0), .environment).told(as: .serviceUnavailable)
        }
        + [.badRevisionID, .corruptRevision, .badDocumentID].map {
            rule(.liteCore($0), .peer).told(as: .badRequest)
        }
        + [.deltaBaseUnknown, .corruptDelta].map {
            rule(.liteCore($0), .peer).told(as: .unprocessable)
        }
        + [.corruptData, .unsupported, .notADatabase, .databaseTooNew].map {
            rule(.liteCore($0), .storedData)
        }

    private static let network: [ErrorRule] =
        [
            .nameLookup, .timeout, .networkReset, .connectionAborted, .connectionReset,
            .connectionRefused,
        ].map { rule(.network($0), .environment).helped(by: .retry) }
        + [
            .unknownHost, .networkDown, .networkUnreachable, .notConnected, .hostDown,
            .hostUnreachable, .addressNotAvailable, .brokenPipe, .unknownInterface,
        ].map { rule(.network($0), .environment).helped(by: .whenContinuous) }

    private static let posix: [ErrorRule] =
        [
            rule(.posix(POSIXCode.noSpace), .environment).closing(with: .doNotRetry)
                .advising("free up disk space")
        ]
        + POSIXCode.shortLived.map { rule(.posix($0), .environment).helped(by: .retry) }
        + (POSIXCode.offline + POSIXCode.wantOfMeans).map {
            rule(.posix($0), .environment).helped(by: .whenContinuous)
        }
}
