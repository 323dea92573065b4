/// The requirements for every listener authenticator with passwords, as a check for any test framework.
public enum ListenerAuthenticatorContract {
    /// Returns one sentence for each violated requirement; none if the authenticator is correct.
    ///
    /// It must accept the given credentials, and refuse all others.
    public static func violations(
        of authenticator: some ListenerAuthenticator,
        accepting credentials: BasicCredentials
    ) -> [String] {
        var violations: [String] = []
        let known = AuthenticationRequest(authorization: credentials.header)
        for _ in 0..<2
        where authenticator.authenticate(known) != .accepted(user: credentials.username) {
            violations.append("Valid credentials must always be accepted, with the user's name.")
        }
        for (authorization, what) in strangers(beside: credentials) {
            let request = AuthenticationRequest(authorization: authorization)
            guard case .refused(let challenge) = authenticator.authenticate(request) else {
                violations.append("\(what) must be refused.")
                continue
            }
            if challenge.isEmpty || challenge.utf8.contains(where: isControl) {
                violations.append("\(what): the challenge must be a valid header value.")
            }
        }
        return violations
    }

    private static func strangers(
        beside credentials: BasicCredentials
    ) -> [(authorization: String?, what: String)] {
        let (username, password) = (credentials.username, credentials.password)
        let others = [
            (username, password + "x"), (username, String(password.dropLast())),
            (username + "x", password), (password, username), ("", ""),
        ]
        let headers: [(authorization: String?, what: String)] = others.compactMap { pair in
            let other = try? BasicCredentials(username: pair.0, password: pair.1)
            guard let other, other != credentials else { return nil }
            return (other.header, "A wrong user name or password")
        }
        return headers + [
            (nil, "A client without credentials"),
            ("", "An empty header"),
            ("Basic", "A scheme without credentials"),
            ("Basic !!!", "Invalid Base64"),
            ("Bearer " + credentials.header.dropFirst(6), "Another scheme"),
            (String(credentials.header.dropFirst(6)), "A header without a scheme"),
        ]
    }
}
