import DivanTestKit
import DivanTransport
import Testing

extension BrokenSetUp {
    /// The server is reachable, but does not let us sync.
    static let answers: [BrokenSetUp] = [
        BrokenSetUp("no credentials are given", 7) { try $0.doctor($0.servingAnna()) },
        BrokenSetUp("the password is wrong", 7) {
            let wrong = ["DIVAN_PASSWORD": "wrong"]
            return try $0.doctor($0.servingAnna(), "--user", "anna", environment: wrong)
        },
        BrokenSetUp("the user has no access", 7) {
            try $0.doctor($0.answering("403 Forbidden"))
        },
        BrokenSetUp("the clocks differ", 7) {
            let date = "Date: Wed, 01 Jan 2020 00:00:00 GMT"
            return try $0.doctor($0.answering("401 Unauthorized", date))
        },
        BrokenSetUp("the database does not exist on the server", 3) {
            let url = try $0.serve("--no-tls")
            return try $0.doctor(String(url.dropLast()) + "b")
        },
        BrokenSetUp("the default collection is not shared", 3) {
            try $0.doctor($0.serve("--no-tls", "--collections", "geo.places"))
        },
        BrokenSetUp("the collection does not exist on the server", 3) {
            try $0.doctor($0.serve("--no-tls"), "--collections", "geo.seas")
        },
        BrokenSetUp("the server is busy", 6) {
            try $0.doctor($0.answering("503 Busy", "Retry-After: 7"))
        },
        BrokenSetUp("the server redirects in a loop", 6) {
            try $0.doctor($0.answering("302 Found", "Location: /a"))
        },
        BrokenSetUp("the server is a web server", 6) { try $0.doctor($0.answering("200 OK")) },
        BrokenSetUp("a proxy changes the WebSocket upgrade", 6) {
            let url = try $0.answering(
                "101 Switching Protocols",
                "Upgrade: websocket",
                "Connection: Upgrade",
                "Sec-WebSocket-Accept: wrong"
            )
            return try $0.doctor(url)
        },
        BrokenSetUp("the server uses another protocol over WebSocket", 6) {
            let server = WebSocketServer(.init(networkInterface: "127.0.0.1")) { request in
                request.accept(subprotocol: nil) { $0.close(code: 1000, reason: "") }
            }
            let port = try server.start()
            defer { withExtendedLifetime(server) {} }
            return try $0.doctor("ws://127.0.0.1:\(port)/a")
        },
        BrokenSetUp("the server is read-only", 0) {
            try $0.doctor($0.serve("--no-tls", "--read-only"))
        },
    ]
}

extension BrokenPlace {
    /// The URL of a server that knows one user.
    fileprivate func servingAnna() throws -> String {
        let words = ["users", "add", "users.json", "anna"]
        try shell.divan(words, environment: ["DIVAN_PASSWORD": "right"]).expectSuccess()
        return try serve("--no-tls", "--users", "users.json")
    }
}
