import CouchbaseLiteSwift
import Foundation

func replicator(
    of notes: Collection,
    with gateway: String,
    login: any Authenticator
) throws -> Replicator {
    var entry = CollectionConfiguration(collection: notes)
    entry.channels = ["news", "anna"]  // default: all channels of the user
    var config = ReplicatorConfiguration(
        collections: [entry],
        target: try URLEndpoint(validating: gateway)
    )
    config.authenticator = login
    config.continuous = true
    config.heartbeat = 45  // shorter than the proxy's time-out
    return Replicator(config: config)
}

func logins(session: String) -> [any Authenticator] {
    [
        BasicAuthenticator(username: "anna", password: "open sesame"),
        SessionAuthenticator(sessionID: session),
    ]
}

func advice(for error: NSError) -> String {
    switch error.code {
    case CBLError.httpAuthRequired: "Sign in again."
    case CBLError.httpForbidden: "You may not do that here."
    case CBLError.httpNotFound: "The server has no such database or collection."
    case CBLError.tlsCertUnknownRoot, CBLError.tlsCertUntrusted: "The server cannot be trusted."
    default: error.localizedDescription
    }
}

func reportRefusals(
    among events: AsyncStream<DocumentReplication>,
    _ tell: (String) -> Void
) async {
    for await event in events {
        for document in event.documents {
            guard let error = document.error as NSError? else { continue }
            tell("\(document.id): \(advice(for: error))")
        }
    }
}
