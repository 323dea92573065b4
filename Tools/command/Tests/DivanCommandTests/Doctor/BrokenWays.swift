import DivanPlatform
import DivanTestKit
import Testing

extension BrokenSetUp {
    /// Nothing gets through.
    static let ways: [BrokenSetUp] = [
        BrokenSetUp("the URL begins with http", 2) {
            try $0.doctor("http://127.0.0.1:4984/a")
        },
        BrokenSetUp("the URL contains no database", 2) { try $0.doctor("ws://127.0.0.1:4984") },
        BrokenSetUp("the host name is misspelled", 6) {
            try $0.doctor("ws://no-such.invalid:4984/a")
        },
        BrokenSetUp("no server listens on the port", 6) {
            let (socket, port) = try Loopback.listen(queue: 1)
            socket.close()
            return try $0.doctor("ws://127.0.0.1:\(port)/a")
        },
        BrokenSetUp("the server does not respond", 6) {
            let server = try SilentServer()
            defer { withExtendedLifetime(server) {} }
            return try $0.doctor("ws://127.0.0.1:\(server.port)/a")
        },
        BrokenSetUp("the server does not respond to TLS", 6) {
            let server = try SilentServer()
            defer { withExtendedLifetime(server) {} }
            return try $0.doctor("wss://127.0.0.1:\(server.port)/a")
        },
        BrokenSetUp("the proxy is not running", 6) {
            try $0.doctor("ws://peer.invalid/a", "--proxy", $0.proxy(nil))
        },
        BrokenSetUp("the proxy requires a password", 7) {
            let proxy = try $0.proxy("407 Proxy Authentication Required")
            return try $0.doctor("ws://peer.invalid/a", "--proxy", proxy)
        },
        BrokenSetUp("the proxy does not allow the port", 7) {
            try $0.doctor("ws://peer.invalid/a", "--proxy", $0.proxy("403 Forbidden"))
        },
        BrokenSetUp("the proxy cannot reach the server", 6) {
            try $0.doctor("ws://peer.invalid/a", "--proxy", $0.proxy("502 Bad Gateway"))
        },
        BrokenSetUp("the network requires a login", 6) {
            try $0.doctor($0.answering("511 Network Authentication Required"))
        },
    ]
}
