import Divan

func sync(
    _ notes: DocumentCollection,
    with gateway: String,
    login: Sync.Credentials
) -> Sync {
    var options = Sync.Options()
    options.heartbeat = .seconds(45)  // shorter than the proxy's time-out
    return Sync(
        notes.database,
        with: .url(gateway),
        // Without `channels`: all channels of the user.
        collections: [Sync.Selection(notes, channels: ["news", "anna"])],
        credentials: login,
        options: options
    )
}

func logins(session: String) -> [Sync.Credentials] {
    [.password("anna", "open sesame"), .session(session)]
}

func advice(for error: DivanError) -> String {
    switch error.code {
    case .unauthorized: "Sign in again."
    case .forbidden: "You may not do that here."
    case .notFound: "The server has no such database or collection."
    case .untrusted: "The server cannot be trusted."
    default: error.problem
    }
}
