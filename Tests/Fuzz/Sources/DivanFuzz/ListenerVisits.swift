import CouchbaseLiteSwift
import DivanBLIP
import DivanPlatform
import DivanTestKit
import DivanWebSocket
import Foundation

/// Whatever a client sends, the `URLEndpointListener` still serves the next one, and the
/// database is intact.
///
/// After a close, the client reconnects while there is more to send; then a good client connects.
enum ListenerVisits: ConversationTarget {
    static let name = "listener"

    /// The bits of a conversation's options.
    private enum Option {
        static let ownHead: UInt8 = 1
        static let asksPassword: UInt8 = 2
        static let isReadOnly: UInt8 = 4
        static let sendsDeltas: UInt8 = 8
        static let hasPlaces: UInt8 = 16
        static let limitsAccess: UInt8 = 32
        static let isOld: UInt8 = 64
    }

    private static let visitCount = 3

    static func violation(of conversation: Conversation) throws -> String? {
        let home = try FuzzDatabase()
        let listener = URLEndpointListener(config: try configuration(home, conversation.options))
        try listener.start()
        let port = listener.port ?? 0
        var rest = conversation
        for visit in 0..<visitCount where visit == 0 || !rest.acts.isEmpty {
            if let flaw = self.visit(port, &rest) { return flaw }
        }
        if let flaw = serves(port, isOld: false) {
            return "the listener does not serve a good client: \(flaw)"
        }
        listener.stop()
        return try home.violation()
    }

    private static func configuration(
        _ home: FuzzDatabase,
        _ options: UInt8
    ) throws -> URLEndpointListenerConfiguration {
        var collections = [try home.database.defaultCollection()]
        if options & Option.hasPlaces != 0 { collections.append(try home.places()) }
        var configuration = URLEndpointListenerConfiguration(collections: collections)
        configuration.networkInterface = "127.0.0.1"
        configuration.disableTLS = true
        configuration.readOnly = options & Option.isReadOnly != 0
        configuration.enableDeltaSync = options & Option.sendsDeltas != 0
        if options & Option.asksPassword != 0 {
            configuration.authenticator = ListenerPasswordAuthenticator { name, password in
                name == "ada" && password == "secret"
            }
        }
        if options & Option.limitsAccess != 0 {
            configuration.access = { _ in
                var access = ListenerAccess()
                access.readFilter = { document, _ in document.id != "gone" }
                access.writeFilter = { document, _ in document.id != "b" }
                return access
            }
        }
        return configuration
    }

    /// One connection of the client that follows no rules.
    private static func visit(_ port: UInt16, _ rest: inout Conversation) -> String? {
        let own = rest.options & Option.ownHead != 0 ? rest.takeHead() : nil
        let standard = HandshakeScript.request(isOld: rest.options & Option.isOld != 0)
        var client: ConversationRunner
        switch enter(port, own ?? standard, isOwn: own != nil) {
        case .entered(let entered): client = entered
        case .refused(let why): return own == nil ? "a client is not let in: \(why)" : nil
        }
        client.settle()
        while let act = rest.acts.first, !client.isOver {
            rest.acts.removeFirst()
            client.perform(act)
        }
        if !client.isOver { client.close() }
        return client.flaw
    }

    /// The result for a client that requested an upgrade.
    private enum Entry {
        case entered(ConversationRunner)
        case refused(String)
    }

    private static func enter(_ port: UInt16, _ head: String, isOwn: Bool = false) -> Entry {
        guard let wire = Wire(to: port) else {
            return .refused("it cannot connect (\(Errno.current))")
        }
        guard wire.send(HandshakeScript.bytes(head)) else {
            return .refused("it cannot send a handshake (\(Errno.current))")
        }
        let start = ContinuousClock.now
        guard let (answer, more) = HandshakeScript.read(wire, within: isOwn ? 200 : 10_000) else {
            return .refused("it has no answer after \(ContinuousClock.now - start)")
        }
        guard answer.contains(" 101 ") else { return .refused("it is answered \(answer)") }
        return .entered(ConversationRunner(wire, role: .client, rest: more, isGarbled: isOwn))
    }

    /// What a client that follows the rules does not receive; `nil` if it receives everything.
    private static func serves(_ port: UInt16, isOld: Bool) -> String? {
        var client: ConversationRunner
        switch enter(port, HandshakeScript.request(isOld: isOld)) {
        case .entered(let entered): client = entered
        case .refused(let why): return why
        }
        let names = #"{"checkpoint_ids":["cp-good"],"collections":["_default"]}"#
        let opening = Conversation.Act(
            kind: .asks,
            properties: [.init(name: "Profile", value: "getCollections")],
            body: Array(names.utf8)
        )
        let opened = client.ask(opening)
        client.settle()
        guard let answer = client.answers[opened], answer.error == nil else {
            return "getCollections: \(String(describing: client.answers[opened]?.error))"
        }
        let subscribed = client.ask(.ask("subChanges", []))
        client.settle()
        guard let answer = client.answers[subscribed], answer.error == nil else {
            return "subChanges: \(String(describing: client.answers[subscribed]?.error))"
        }
        guard client.asked.contains(where: { $0.profile == "changes" && $0.body.count > 2 }) else {
            return "no changes come"
        }
        client.close()
        return client.flaw
    }

    static func seeds() throws -> [[UInt8]] {
        try (ConversationSeeds.client + Transcripts.acts(of: "C->S")).map(\.bytes)
    }
}
