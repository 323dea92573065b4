import DivanBLIP
import DivanBLIPChannel
import DivanTestKit
import DivanTransport
import DivanZlib
import Testing

/// `divan pull --list-collections` at other kinds of peers, with different behaviour.
@Suite(.timeLimit(.minutes(5))) struct PeerCollectionsTests {
    /// How a peer reacts when it is asked for its collections.
    private enum Manner: Sendable {
        case knowsNoSuchQuestion
        case says(String)
        case leaves
    }

    private final class AskedPeer: BLIPHandler {
        private let channel: BLIPChannel
        private let manner: Manner

        init(_ channel: BLIPChannel, _ manner: Manner) {
            self.channel = channel
            self.manner = manner
        }

        func channelDidReceive(_ event: BLIPEvent) {
            guard case .request(let request) = event else { return }
            switch manner {
            case .knowsNoSuchQuestion: channel.reply(to: request.id, with: .noHandler)
            case .says(let text):
                channel.reply(to: request.id, with: BLIPReply(body: .bytes(Array(text.utf8))))
            case .leaves: channel.close()
            }
        }
    }

    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "db")
    }

    private func pull(from manner: Manner, _ option: String) throws -> Program.Outcome {
        let server = WebSocketServer(.init(networkInterface: "127.0.0.1")) { request in
            request.accept(subprotocol: "BLIP_3+CBMobile_3") { transport in
                BLIPChannel.open(over: transport, codec: DeflateCodec()) { channel in
                    AskedPeer(channel, manner)
                }
            }
        }
        let port = try server.start()
        return try withExtendedLifetime(server) {
            try shell.divan("pull", "db", "ws://127.0.0.1:\(port)/db", option)
        }
    }

    @Test(arguments: ["--list-collections", "--all-collections"])
    func `a peer that cannot list its collections is reported with a hint`(option: String) throws {
        try pull(from: .knowsNoSuchQuestion, option).expectFailure(
            7,
            "the peer cannot list its collections",
            "name the collections with '--collections'"
        )
    }

    @Test(arguments: [
        ("{}", "not a JSON array"), ("", "not a JSON array"),
        (#"["a b"]"#, "an invalid collection name"), (#"[7]"#, "an invalid collection name"),
    ])
    func `an invalid list of collections is rejected`(answer: String, problem: String) throws {
        try pull(from: .says(answer), "--list-collections").expectFailure(7, problem)
    }

    @Test func `too many collections are rejected with a hint`() throws {
        let answer = "[" + [String](repeating: "\"a\"", count: 1001).joined(separator: ",") + "]"
        try pull(from: .says(answer), "--all-collections").expectFailure(
            4,
            "1001 collections",
            "name the collections with '--collections'"
        )
    }

    @Test func `a peer without collections is distinguished from a lost connection`() throws {
        let none = try pull(from: .says("[]"), "--list-collections")
        none.expectSuccess()
        #expect(none.output.isEmpty && none.errors.contains("shares no collections"))
        try pull(from: .says("[]"), "--all-collections").expectFailure(3, "shares no collections")
        try pull(from: .leaves, "--list-collections").expectFailure(6, "closed the connection")
    }
}
