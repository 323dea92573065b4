extension SyncError: CustomStringConvertible {
    /// One line: place, problem, remedy.
    public var description: String {
        let place = "Replication (\(domain.wireName(code: code))/\(code))"
        if hasRemedy { return "\(place): \(message)" }
        let problem = message.isEmpty ? self.problem : message
        return place + (problem.map { ": \($0)" } ?? "") + "; \(remedy)"
    }

    /// What happened, where nobody has said it: peers that close often give no reason.
    private var problem: String? {
        switch (domain, code) {
        case (.webSocket, 400): "the peer does not understand the request"
        case (.webSocket, 401): "the credentials are missing or wrong"
        case (.webSocket, 403): "not allowed"
        case (.webSocket, 404): "there is no such database, collection or document"
        case (.webSocket, 409): "somebody else changed the document first"
        case (.webSocket, 413), (.webSocket, 1009): "a document is too large for the peer"
        case (.webSocket, 429): "too many attempts or connections"
        case (.webSocket, 500), (.webSocket, 1011): "the peer failed"
        case (.webSocket, 502), (.webSocket, 504): "what stands before the peer cannot reach it"
        case (.webSocket, 503): "the peer is overloaded or shutting down"
        case (.webSocket, 1001): "the peer has stopped"
        case (.webSocket, 1002), (.webSocket, 1003), (.webSocket, 1007), (.webSocket, 1010):
            "the two sides do not understand each other"
        case (.webSocket, 1006): "the connection ended without a goodbye"
        case (.webSocket, 1008): "a message breaks the peer's policy"
        case (.webSocket, 4001): "the peer is restarting or overloaded"
        case (.webSocket, 4002): "the peer asks not to try again"
        default: nil
        }
    }

    private var remedy: String {
        switch (domain, code) {
        case (.webSocket, 401): "check the user name and password"
        case (.webSocket, 403): "check what this user, or this replicator, may do"
        case (.webSocket, 404): "check that the database and its collections exist at the peer"
        case (.webSocket, 409): "pull the document, so that the conflict can be resolved"
        case (.webSocket, 413), (.webSocket, 1009): "make the document or its blobs smaller"
        case (.webSocket, 1001): "start it there, then here again; what came through is kept"
        case (.posix, 28): "free some disk space"
        case _ where isTransient: "it helps to try again later"
        default: "see the peer's log for its side of the story"
        }
    }
}
