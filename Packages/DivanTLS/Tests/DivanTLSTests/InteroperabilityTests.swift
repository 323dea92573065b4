import DivanTLS
import Foundation
import Testing

/// OpenSSL's own client and server as real processes over 127.0.0.1.
@Suite(.serialized) struct InteroperabilityTests {
    let root: TLSCredential
    let identity: TLSCredential

    init() throws {
        root = try Sample.authority()
        identity = try Sample.server(issuer: root)
    }

    /// Starts `s_client` against a session of ours; the socket is connected, nothing has been sent.
    func serve(
        _ policy: ClientCertificatePolicy = .none,
        to arguments: [String],
        presenting client: TLSCredential? = nil
    ) throws -> Conversation {
        let configuration = ServerTLSConfiguration(
            credential: identity,
            clientCertificates: policy
        )
        let listener = try LoopbackSocket.listening()
        let address = ["s_client", "-connect", "127.0.0.1:\(listener.port)"]
        let process = try OpenSSLProcess(address + arguments, identity: client, root: root.leaf)
        return Conversation(
            try TLSSession(.server(configuration)),
            try listener.accepted(),
            process
        )
    }

    /// Starts `s_server`, which reverses lines, and connects a session of ours to it.
    func connect(
        to arguments: [String],
        wanting clientRoot: TLSCertificate? = nil,
        presenting client: TLSCredential? = nil
    ) throws -> Conversation {
        let fixed = ["s_server", "-accept", "127.0.0.1:0", "-rev"]
        let process = try OpenSSLProcess(fixed + arguments, identity: identity, root: clientRoot)
        let configuration = ClientTLSConfiguration(
            serverTrust: .roots([root.leaf]),
            credential: client
        )
        let session = try TLSSession(.client(configuration), serverName: "127.0.0.1")
        let socket = try LoopbackSocket.connected(to: process.port())
        return Conversation(session, socket, process)
    }

    @Test(arguments: [("-tls1_3", "TLSv1.3"), ("-tls1_2", "TLSv1.2")])
    func `s_client trusts our server and exchanges data with it`(
        flag: String,
        version: String
    ) throws {
        let arguments = [flag, "-verify_ip", "127.0.0.1", "-brief"]
        let talk = try serve(to: arguments)
        try talk.process.type("hello")
        #expect(try talk.line() == "hello")
        #expect(talk.session.protocolVersion == version)

        try talk.say("welcome")
        #expect(talk.process.prints("welcome"), "\(talk.process.printed)")
        #expect(talk.process.printed.contains("Verification: OK"))

        talk.process.endInput()
        try talk.reach(.closed)
        #expect(talk.session.state == .closed)
    }

    @Test func `s_client with TLS 1.1 is refused`() throws {
        let old = ["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"]
        let talk = try serve(to: old)
        #expect(try talk.failure()?.reason == .unsupportedVersion)
        #expect(talk.process.prints("alert protocol version"), "\(talk.process.printed)")
    }

    @Test(arguments: ["AES128-SHA", "ECDHE-ECDSA-AES128-SHA256", "NULL@SECLEVEL=0"])
    func `s_client with a weak cipher suite is refused`(suite: String) throws {
        let talk = try serve(to: ["-tls1_2", "-cipher", suite])
        let error = try talk.failure()
        guard case .handshake = error?.reason else {
            Issue.record("\(String(describing: error)): \(talk.process.printed)")
            return
        }
        #expect(talk.process.prints("handshake failure"), "\(talk.process.printed)")
    }

    @Test(arguments: ["-tls1_3", "-tls1_2"])
    func `s_client without a certificate is refused if one is required`(flag: String) throws {
        let talk = try serve(.roots([root.leaf]), to: [flag])
        #expect(try talk.failure()?.reason == .clientCertificateMissing)
    }

    @Test(arguments: ["-tls1_3", "-tls1_2"])
    func `s_client with a certificate is accepted`(flag: String) throws {
        let peer = try Sample.client(issuer: root)
        let talk = try serve(
            .roots([root.leaf]),
            to: [flag],
            presenting: peer
        )
        try talk.process.type("hello")
        #expect(try talk.failure() == nil)
        #expect(talk.session.peerCertificates.first == peer.leaf)
    }

    @Test func `s_client cannot renegotiate`() throws {
        let talk = try serve(to: ["-tls1_2"])
        try talk.process.type("hello")
        #expect(try talk.failure() == nil)
        try talk.process.type("R")
        _ = try talk.failure()
        #expect(talk.process.prints("no renegotiation"), "\(talk.process.printed)")
    }

    @Test(arguments: [("-tls1_3", "TLSv1.3"), ("-tls1_2", "TLSv1.2")])
    func `our client trusts s_server and exchanges data with it`(
        flag: String,
        version: String
    ) throws {
        let talk = try connect(to: [flag])
        try talk.reach(.open)
        try talk.say("divan")
        #expect(try talk.line() == "navid")
        #expect(talk.session.protocolVersion == version)
        #expect(talk.session.peerCertificates.first == identity.leaf)

        talk.process.stop()
        #expect(try talk.failure()?.reason == .truncated)
    }

    @Test func `our client refuses s_server with TLS 1.1`() throws {
        let old = ["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"]
        let talk = try connect(to: old)
        let error = try talk.failure()
        #expect(error?.reason == .unsupportedVersion)
        #expect(error?.networkCode == 6)
    }

    @Test(arguments: ["-tls1_3", "-tls1_2"])
    func `our client reports 9 if it needs a certificate`(flag: String) throws {
        let talk = try connect(to: [flag, "-Verify", "1"], wanting: root.leaf)
        #expect(try talk.failure()?.networkCode == 9)
    }

    @Test(arguments: ["-tls1_3", "-tls1_2"])
    func `our client reports 10 if its certificate is refused`(flag: String) throws {
        let talk = try connect(
            to: [flag, "-Verify", "1"],
            wanting: root.leaf,
            presenting: Sample.client()
        )
        #expect(try talk.failure()?.networkCode == 10)
    }

    @Test(arguments: ["-tls1_3", "-tls1_2"])
    func `our client's certificate is accepted`(flag: String) throws {
        let talk = try connect(
            to: [flag, "-Verify", "1"],
            wanting: root.leaf,
            presenting: Sample.client(issuer: root)
        )
        try talk.reach(.open)
        try talk.say("divan")
        #expect(try talk.line() == "navid")
    }
}
