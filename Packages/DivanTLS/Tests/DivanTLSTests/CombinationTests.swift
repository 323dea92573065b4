import DivanTLS
import DivanTestKit
import Foundation
import Testing

/// Every combination of versions, keys, certificates and kinds of trust, against OpenSSL's programs over 127.0.0.1.
@Suite(.serialized) struct CombinationTests {
    let credentials: CombinationCredentials

    init() throws {
        credentials = try CombinationCredentials.shared.get()
    }

    @Test(arguments: Combination.all)
    func `each combination has the expected outcome`(_ combination: Combination) throws {
        switch combination.ours {
        case .client: try runClient(combination)
        case .server: try runServer(combination)
        }
    }

    @Test func `no combination is listed twice`() {
        #expect(Combination.all.count >= 30)
        #expect(Set(Combination.all.map(\.testDescription)).count == Combination.all.count)
    }

    // MARK: Our client

    private func runClient(_ combination: Combination) throws {
        let presented = try credentials.server(combination)
        let context = try TLSContext.client(clientConfiguration(combination, judging: presented))
        let server = try startServer(combination, presenting: presented)
        let port = try server.port()
        var resumption: TLSResumption?
        if combination.special == .resumed {
            let first = try connect(context, to: server, port)
            try exchange(first)
            resumption = first.session.resumption
        }
        let talk = try connect(context, to: server, port, resuming: resumption, combination)
        guard case .code(let code) = combination.expected else {
            try exchange(talk)
            #expect(talk.session.protocolVersion == "TLSv\(combination.version)")
            #expect(talk.session.isResumed == (combination.special == .resumed))
            if combination.special == .commonProtocol {
                #expect(talk.session.applicationProtocol == "b")
            }
            return
        }
        let error = try talk.failure()
        #expect(error?.networkCode == code, "\(String(describing: error)) \(server.printed)")
    }

    private func connect(
        _ context: TLSContext,
        to server: OpenSSLProcess,
        _ port: UInt16,
        resuming resumption: TLSResumption? = nil,
        _ combination: Combination? = nil
    ) throws -> Conversation {
        let name = combination?.special == .otherName ? "example.org" : "127.0.0.1"
        let session = try TLSSession(context, serverName: name, resuming: resumption)
        return Conversation(session, try LoopbackSocket.connected(to: port), server)
    }

    /// `s_server -rev` reverses lines.
    private func exchange(_ talk: Conversation) throws {
        try talk.reach(.open)
        try talk.say("divan")
        #expect(try talk.line() == "navid")
    }

    private func startServer(
        _ combination: Combination,
        presenting identity: TLSCredential
    ) throws -> OpenSSLProcess {
        var arguments = ["s_server", "-accept", "127.0.0.1:0", "-rev"] + versionFlags(combination)
        if combination.client != .notAsked { arguments += ["-Verify", "1"] }
        switch combination.special {
        case .commonProtocol: arguments += ["-alpn", "b,c"]
        case .noCommonProtocol: arguments += ["-alpn", "c"]
        default: break
        }
        return try OpenSSLProcess(
            arguments,
            identity: identity,
            root: combination.client == .notAsked ? nil : credentials.root.leaf
        )
    }

    private func clientConfiguration(
        _ combination: Combination,
        judging presented: TLSCredential
    ) throws -> ClientTLSConfiguration {
        let trust: ServerTrust =
            switch combination.verification {
            case .root, .nothing: .roots([credentials.root.leaf])
            case .otherRoot: .roots([credentials.otherRoot.leaf])
            case .systemRoots: .systemRoots
            case .pinnedLeaf: .pinned(presented.leaf)
            case .pinnedRoot: .pinned(credentials.root.leaf)
            case .pinnedOther: .pinned(credentials.otherRoot.leaf)
            case .selfSignedOnly: .selfSignedOnly
            case .callbackAccepts: .callback { $0 == presented.certificates }
            case .callbackRefuses: .callback { _ in false }
            }
        return ClientTLSConfiguration(
            serverTrust: trust,
            credential: try credentials.client(combination),
            applicationProtocols: protocols(combination, common: ["a", "b"], other: ["a"]),
            resumesSessions: combination.special == .resumed
        )
    }

    // MARK: Our server

    private func runServer(_ combination: Combination) throws {
        let context = try TLSContext.server(serverConfiguration(combination))
        let folder = try TemporaryDirectory()
        let ticket = folder.file("session.pem")
        if combination.special == .resumed {
            let first = try serve(context, combination, ["-sess_out", ticket])
            try greet(first)
            first.process.endInput()
            try first.reach(.closed)
            #expect(FileManager.default.fileExists(atPath: ticket), "\(first.process.printed)")
        }
        let resuming = combination.special == .resumed ? ["-sess_in", ticket] : []
        let talk = try serve(context, combination, resuming)
        guard case .code(let code) = combination.expected else {
            try greet(talk)
            #expect(talk.session.protocolVersion == "TLSv\(combination.version)")
            #expect(talk.session.isResumed == (combination.special == .resumed))
            return try finish(talk, combination)
        }
        let error = try talk.failure()
        #expect(error?.networkCode == code, "\(String(describing: error)) \(talk.process.printed)")
        #expect(talk.process.prints("alert"), "\(talk.process.printed)")
    }

    private func greet(_ talk: Conversation) throws {
        try talk.process.type("hello")
        #expect(try talk.line() == "hello", "\(talk.process.printed)")
        try talk.say("welcome")
        #expect(talk.process.prints("welcome"), "\(talk.process.printed)")
    }

    private func finish(_ talk: Conversation, _ combination: Combination) throws {
        switch combination.special {
        case .commonProtocol: #expect(talk.session.applicationProtocol == "b")
        case .renegotiation:
            try talk.process.type("R")
            _ = try talk.failure()
            #expect(talk.process.prints("no renegotiation"), "\(talk.process.printed)")
        default: break
        }
    }

    private func serve(
        _ context: TLSContext,
        _ combination: Combination,
        _ more: [String]
    ) throws -> Conversation {
        let listener = try LoopbackSocket.listening()
        var arguments = ["s_client", "-connect", "127.0.0.1:\(listener.port)"]
        arguments += versionFlags(combination) + more
        switch combination.special {
        case .weakSuite: arguments += ["-cipher", "AES128-SHA"]
        case .commonProtocol: arguments += ["-alpn", "a,b"]
        case .noCommonProtocol: arguments += ["-alpn", "a"]
        default: break
        }
        let process = try OpenSSLProcess(
            arguments,
            identity: try credentials.client(combination),
            root: credentials.root.leaf
        )
        return Conversation(try TLSSession(context), try listener.accepted(), process)
    }

    private func serverConfiguration(
        _ combination: Combination
    ) throws -> ServerTLSConfiguration {
        let policy: ClientCertificatePolicy =
            switch combination.verification {
            case .root: .roots([credentials.root.leaf])
            case .callbackAccepts: .callback { _ in true }
            case .callbackRefuses: .callback { _ in false }
            default: .none
            }
        return ServerTLSConfiguration(
            credential: try credentials.server(combination),
            clientCertificates: policy,
            applicationProtocols: protocols(combination, common: ["b", "c"], other: ["c"]),
            resumesSessions: combination.special == .resumed
        )
    }

    // MARK: Both

    private func protocols(
        _ combination: Combination,
        common: [String],
        other: [String]
    ) -> [String] {
        switch combination.special {
        case .commonProtocol: common
        case .noCommonProtocol: other
        default: []
        }
    }

    /// OpenSSL speaks TLS 1.1 only when its security level is lowered.
    private func versionFlags(_ combination: Combination) -> [String] {
        switch combination.version {
        case "1.1": ["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"]
        case "1.2": ["-tls1_2"]
        default: ["-tls1_3"]
        }
    }
}
