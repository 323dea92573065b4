import DivanTestKit
import Testing

extension BrokenSetUp {
    /// TLS fails.
    static let trusts: [BrokenSetUp] = [
        BrokenSetUp("the server requires TLS, but the URL begins with ws", 6) {
            try $0.doctor($0.serve().replacing("wss:", with: "ws:"))
        },
        BrokenSetUp("the URL begins with wss, but the server has no TLS", 6) {
            try $0.doctor($0.serve("--no-tls").replacing("ws:", with: "wss:"))
        },
        BrokenSetUp("the certificate is not trusted", 7) { try $0.doctor($0.serve()) },
        BrokenSetUp("the certificate is not the pinned one", 7) {
            try $0.doctor($0.serve(), "--pin", $0.makeCertificate("other"))
        },
        certificate("the certificate has expired", until: "20200201000000Z"),
        certificate(
            "the certificate is not valid yet, or the local clock is late",
            from: "20400101000000Z",
            until: "20410101000000Z"
        ),
        certificate("the certificate is for another name", of: "DNS:jukebox.local"),
        BrokenSetUp("the certificate is not self-signed, but `--accept-self-signed` is given", 7) {
            let shell = $0.shell
            try shell.run("identity", "new", "cellar", "--authority", "--key", "p256")
            let words = ["identity", "new", "box", "--host", "127.0.0.1", "--issuer", "cellar"]
            try shell.divan(words + ["--key", "p256"]).expectSuccess()
            return try $0.doctor($0.serve("--identity", "box"), "--accept-self-signed")
        },
        BrokenSetUp("the server requires a client certificate", 7) {
            try $0.doctor($0.servingRobots(), "--accept-self-signed")
        },
        BrokenSetUp("the server does not accept the client certificate", 7) {
            try $0.shell.run("identity", "new", "other", "--key", "p256")
            return try $0.doctor(
                $0.servingRobots(),
                "--accept-self-signed",
                "--identity",
                "other"
            )
        },
    ]

    private static func certificate(
        _ title: String,
        from begin: String = "20200101000000Z",
        until end: String = "20400101000000Z",
        of subject: String = "IP:127.0.0.1"
    ) -> BrokenSetUp {
        BrokenSetUp(title, 7) {
            let file = try $0.makeCertificate("server", from: begin, until: end, of: subject)
            return try $0.doctor($0.serve("--identity", "identity.pem"), "--trust", file)
        }
    }
}

extension BrokenPlace {
    /// The URL of a server that accepts only clients with one certificate.
    fileprivate func servingRobots() throws -> String {
        try shell.run("identity", "new", "robot", "--key", "p256")
        try shell.write("robot.pem", shell.run("identity", "export", "robot").output)
        return try serve("--client-certificate", "robot.pem")
    }
}
