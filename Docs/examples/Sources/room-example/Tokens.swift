import CouchbaseLiteSwift

/// Sends the token to each peer; peers with the token belong to the room.
struct TokenAuthenticator: CustomAuthenticator {
    let token: String

    func headers() -> [String: String] { ["Authorization": "Bearer \(token)"] }
}

/// Accepts peers that send the room's token.
struct TokenListenerAuthenticator: CustomListenerAuthenticator {
    let token: String

    var credentialFields: [String] { ["Authorization"] }

    func authenticate(_ request: ListenerRequest) -> ListenerLogin {
        let shown = request.header("Authorization") ?? ""
        // Compares all bytes, so that the response time reveals nothing about the token.
        let expected = "Bearer \(token)"
        let difference = zip(shown.utf8, expected.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) }
        guard difference == 0, shown.utf8.count == expected.utf8.count else {
            return .refused(challenge: "Bearer")
        }
        return .accepted(user: nil)
    }
}
