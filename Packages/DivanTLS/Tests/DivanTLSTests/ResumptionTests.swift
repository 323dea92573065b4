import DivanTLS
import Synchronization
import Testing

/// Sessions that resume earlier ones: fewer bytes, the same trust, and only on request.
@Suite struct ResumptionTests {
    let identity: TLSCredential
    let root: TLSCredential

    init() throws {
        root = try Sample.authority()
        identity = try Sample.server(issuer: root)
    }

    func client(_ version: TLSVersion, resumes: Bool = true) throws -> TLSContext {
        try .client(
            ClientTLSConfiguration(
                serverTrust: .roots([root.leaf]),
                versions: version...version,
                resumesSessions: resumes
            )
        )
    }

    func server(
        _ policy: ClientCertificatePolicy = .none,
        resumes: Bool = true
    ) throws -> TLSContext {
        try .server(
            ServerTLSConfiguration(
                credential: identity,
                clientCertificates: policy,
                resumesSessions: resumes
            )
        )
    }

    /// A server sends no packet that the client does not wait for.
    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `only session tickets are delayed until the first data`(version: TLSVersion) throws {
        let client = try TLSSession(self.client(version), serverName: "localhost")
        let server = try TLSSession(self.server())
        var (flight, plaintext, waited): ([UInt8], [UInt8], Int) = ([], [], 0)
        while client.hasOutput {
            client.takeOutput(appendingTo: &flight)
            try server.receive(flight.span, appendingTo: &plaintext)
            flight = []
            if server.outputCanWait {
                waited += 1
                #expect(server.state == .open && client.state == .open)
                try server.send("first")
                #expect(!server.outputCanWait)
            }
            server.takeOutput(appendingTo: &flight)
            try client.receive(flight.span, appendingTo: &plaintext)
            flight = []
        }
        #expect(waited == (version == .tls13 ? 1 : 0))
        #expect(client.state == .open && client.resumption != nil)
    }

    /// Runs a handshake and an exchange of data.
    @discardableResult
    func talk(
        _ client: TLSContext,
        _ server: TLSContext,
        resuming resumption: TLSResumption? = nil,
        serverName: String = "localhost"
    ) throws -> SessionPair {
        let pair = try SessionPair(
            client: client,
            server: server,
            serverName: serverName,
            resuming: resumption
        )
        pair.run()
        try pair.client.send("ping")
        try pair.server.send("pong")
        pair.run()
        #expect(
            pair.clientReceived == Array("pong".utf8),
            "\(String(describing: pair.clientError))"
        )
        #expect(
            pair.serverReceived == Array("ping".utf8),
            "\(String(describing: pair.serverError))"
        )
        return pair
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `resumes an earlier session`(version: TLSVersion) throws {
        let (client, server) = (try client(version), try server())
        let first = try talk(client, server)
        #expect(!first.client.isResumed && !first.server.isResumed)
        let resumption = try #require(first.client.resumption)
        #expect(resumption.certificates == identity.certificates)

        let second = try talk(client, server, resuming: resumption)
        #expect(second.client.isResumed && second.server.isResumed)
        #expect(second.client.peerCertificates == identity.certificates)
        let (full, short) = (first.flightByteCounts, second.flightByteCounts)
        #expect(short.reduce(0, +) < full.reduce(0, +), "no certificate went over")

        let third = try talk(client, server, resuming: second.client.resumption)
        #expect(third.client.isResumed)
        #expect(third.client.peerCertificates == identity.certificates)
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `resumes a session whose connection broke`(version: TLSVersion) throws {
        let (client, server) = (try client(version), try server())
        var resumption: TLSResumption?
        do {
            let pair = try talk(client, server)
            try? pair.client.receiveEnd()
            resumption = pair.client.resumption
        }
        #expect(try talk(client, server, resuming: resumption).client.isResumed)
    }

    @Test func `resumes only if both sides enable it`() throws {
        for (clientResumes, serverResumes) in [(false, true), (true, false), (false, false)] {
            for version in [TLSVersion.tls12, .tls13] {
                let pair = try talk(
                    client(version, resumes: clientResumes),
                    server(resumes: serverResumes)
                )
                #expect(pair.client.resumption == nil, "\(version) \(clientResumes)")
            }
        }
    }

    /// The tickets' key belongs to the context, and is lost with it.
    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `another server context causes a full handshake`(version: TLSVersion) throws {
        let client = try client(version)
        let resumption = try #require(talk(client, server()).client.resumption)
        let pair = try talk(client, server(), resuming: resumption)
        #expect(!pair.client.isResumed)
        #expect(pair.client.peerCertificates == identity.certificates)
    }

    /// A session trusted by one context must not bypass the verification of another.
    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `another context or host name causes a new verification`(version: TLSVersion) throws {
        let (careless, server) = (try client(version), try server())
        let resumption = try #require(try talk(careless, server).client.resumption)
        let other = try talk(careless, server, resuming: resumption, serverName: "127.0.0.1")
        #expect(!other.client.isResumed)

        let strict = try TLSContext.client(
            ClientTLSConfiguration(
                serverTrust: .callback { _ in false },
                versions: version...version,
                resumesSessions: true
            )
        )
        let refused = try SessionPair(client: strict, server: server, resuming: resumption)
        refused.run()
        #expect(refused.clientError?.reason == .certificate(.refusedByCallback))
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `verifies each client certificate again`(version: TLSVersion) throws {
        let judgedCount = Mutex(0)
        let policy = ClientCertificatePolicy.callback { _ in
            judgedCount.withLock { $0 += 1 }
            return true
        }
        let client = try TLSContext.client(
            ClientTLSConfiguration(
                serverTrust: .roots([root.leaf]),
                credential: Sample.client(),
                versions: version...version,
                resumesSessions: true
            )
        )
        let server = try server(policy)
        let pair = try talk(client, server)
        try talk(client, server, resuming: pair.client.resumption)
        #expect(pair.client.resumption == nil)
        #expect(judgedCount.withLock { $0 } == 2)
    }
}

/// The names that both sides propose, and what they agree on.
@Suite struct ApplicationProtocolTests {
    func pair(
        offering: [String],
        choosingFrom choices: [String],
        version: TLSVersion = .tls13
    ) throws -> SessionPair {
        let identity = try Sample.server()
        let pair = try SessionPair(
            client: ClientTLSConfiguration(
                serverTrust: .pinned(identity.leaf),
                versions: version...version,
                applicationProtocols: offering
            ),
            server: ServerTLSConfiguration(credential: identity, applicationProtocols: choices)
        )
        pair.run()
        return pair
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `the order of the server decides the application protocol`(version: TLSVersion) throws {
        let pair = try pair(
            offering: ["a", "http/1.1", "b"],
            choosingFrom: ["c", "b", "a"],
            version: version
        )
        #expect(pair.client.applicationProtocol == "b")
        #expect(pair.server.applicationProtocol == "b")
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `without a common application protocol both sides fail the handshake`(
        version: TLSVersion
    ) throws {
        let pair = try pair(offering: ["a", "bb"], choosingFrom: ["b"], version: version)
        #expect(pair.server.state == .closed && pair.client.state == .closed)
        #expect(pair.serverError?.reason == .noApplicationProtocol)
        #expect(pair.clientError?.reason == .noApplicationProtocol)
        #expect(pair.clientError?.networkCode == 6)
    }

    @Test func `a side without application protocols does not negotiate`() throws {
        for (offered, choices) in [([], ["a"]), (["a"], []), ([], [])] {
            let pair = try pair(offering: offered, choosingFrom: choices)
            #expect(pair.client.state == .open && pair.server.state == .open)
            #expect(pair.client.applicationProtocol == nil)
            #expect(pair.server.applicationProtocol == nil)
        }
    }

    @Test(arguments: ["", String(repeating: "x", count: 256)])
    func `refuses application protocol names with an invalid length`(name: String) {
        let error = #expect(throws: TLSError.self) {
            try TLSContext.client(ClientTLSConfiguration(applicationProtocols: ["a", name]))
        }
        #expect(error?.reason == .applicationProtocolInvalid(name))
    }
}
