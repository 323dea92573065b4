import DivanAuth
import DivanHTTP
import DivanJSON
import DivanLog
import DivanPlatform
import DivanTLS
import DivanTransport

/// Authenticates clients, each on one of the server's threads; a client that guesses passwords waits, longer each time,
/// before the next one is checked.
final class RESTAuthenticator: Sendable {
    /// Sends an answer.
    typealias Answer = @Sendable (HTTPResponse) -> Void

    private let authenticator: any ListenerAuthenticator
    private let queues: FairQueues
    private let logins: LoginTable
    private let onRefusal: (@Sendable (RESTRefusal) -> Void)?
    private let databases: Set<ExactText>

    init(_ configuration: RESTConfiguration, _ queues: FairQueues) {
        authenticator = configuration.authenticator
        self.queues = queues
        onRefusal = configuration.onRefusal
        databases = Set(configuration.databases.keys)
        logins = LoginTable(limits: configuration.limits.logins)
    }

    /// Calls `body` with the client unless it is refused, in which case the refusal is sent.
    func enter(
        _ exchange: HTTPExchange,
        _ answer: @escaping Answer,
        _ body: @escaping @Sendable (RESTClient) -> Void
    ) {
        let queue = queues.queue(at: exchange.address)
        // A client without credentials only asks what is required.
        guard
            let shown = PresentedCredentials(AuthenticationRequest(exchange), to: authenticator)
        else {
            return queue.async(unlessGone: exchange.departure) { [self] in
                if let client = client(of: exchange, nil, answer) { body(client) }
            }
        }
        let (decision, slot) = logins.enter(
            exchange.address.host,
            isLoopback: exchange.address.isLoopback,
            name: shown.name,
            token: shown.token,
            at: exchange.loop.now
        )
        let refuse = { @Sendable [self] in
            note(429, exchange, name: shown.name, showedCredentials: true)
            answer(Self.tooMany)
        }
        guard let slot else { return refuse() }
        let check = { @Sendable [self] in
            if let client = client(of: exchange, slot, answer) { body(client) }
        }
        let checkLater = { @Sendable in queue.async(unlessGone: exchange.departure, check) }
        follow(decision, exchange, refuse, afterWaiting: checkLater) {
            queue.async(unlessGone: exchange.departure) { [self] in
                // Earlier attempts in the queue may have failed meanwhile.
                let decision = slot.admit(at: exchange.loop.now)
                follow(decision, exchange, refuse, afterWaiting: checkLater, now: check)
            }
        }
    }

    /// Calls `now` immediately, or `afterWaiting` after the wait, or `refuse`.
    private func follow(
        _ decision: LoginDecision,
        _ exchange: HTTPExchange,
        _ refuse: () -> Void,
        afterWaiting: @escaping @Sendable () -> Void,
        now: () -> Void
    ) {
        switch decision {
        case .now: now()
        case .after(let wait):
            exchange.loop.schedule(at: exchange.loop.now + wait, afterWaiting)
        case .refused: refuse()
        }
    }

    /// The client; `nil` if it was refused and the refusal was sent.
    private func client(
        of exchange: HTTPExchange,
        _ slot: LoginSlot?,
        _ answer: Answer
    ) -> RESTClient? {
        let request = AuthenticationRequest(exchange)
        switch authenticator.authenticate(request) {
        case .accepted(let user):
            slot?.succeeded(as: user)
            return RESTClient(
                user: user,
                certificates: exchange.certificates,
                address: exchange.address.host,
                token: request.bearerToken
            )
        case .refused(let challenge):
            slot?.failed(at: exchange.loop.now)
            let name = request.credentials?.username
            let showsToken = request.bearerToken != nil
            note(401, exchange, name: name, showedCredentials: slot != nil)
            var error = RESTError(
                401,
                "unauthorized",
                showsToken && slot != nil
                    ? "the token is invalid or has expired, or gives no access"
                    : Self.explanation(showsCredentials: slot != nil, showsName: name != nil)
            )
            error.headers.append("WWW-Authenticate", challenge)
            answer(error.response)
            return nil
        }
    }

    /// Reports a refusal to the application and the log.
    ///
    /// The address comes first and alone, so that nobody can forge another one in the line.
    private func note(
        _ status: Int,
        _ exchange: HTTPExchange,
        name: String?,
        showedCredentials: Bool
    ) {
        let asked = exchange.request.target.segments.first
        let refusal = RESTRefusal(
            status: status,
            address: exchange.address.host,
            claimedUser: name,
            showedCredentials: showedCredentials,
            database: asked.flatMap { databases.contains(ExactText($0)) ? $0 : nil }
        )
        let user: LogMessage = name.map { ", user “\(user: escapedForLog($0))”" } ?? ""
        let line: LogMessage =
            "Refused \(address: refusal.address) over HTTP with \(status)\(user)"
        // A request without credentials is normal: that is how a client finds out what is required.
        if showedCredentials { Log(.listener).warning(line) } else { Log(.listener).info(line) }
        onRefusal?(refusal)
    }

    private static func explanation(showsCredentials: Bool, showsName: Bool) -> String {
        guard showsCredentials else {
            return
                "send a user name and password (curl -u NAME), or a client certificate"
        }
        return showsName ? "wrong user name or password" : "invalid credentials"
    }

    private static var tooMany: HTTPResponse {
        RESTError(
            429,
            "too_many_requests",
            "too many requests or failed logins from your address; try again later"
        ).response
    }
}

extension AuthenticationRequest {
    fileprivate init(_ exchange: HTTPExchange) {
        self.init(
            authorization: exchange.request.headers["Authorization"],
            headers: exchange.request.headers.fields.map { ($0.name, $0.value) },
            certificates: exchange.certificates.map(\.derBytes),
            remoteAddress: exchange.address.host
        )
    }
}
