import CouchbaseLiteSwift
import Dispatch
import DivanBLIP
import DivanJSON
import DivanTestKit
import DivanWebSocket
import Foundation
import Synchronization

/// Whatever a hub sends, the `Replicator` ends, with documented errors,
/// and the database is intact.
///
/// The hub does what the input says, then replies as a hub should, then closes. If the replicator
/// has stopped and there is more to send, it is started again.
enum ReplicatorRuns: ConversationTarget {
    static let name = "replicator"

    /// The bits of a conversation's options.
    private enum Option {
        static let ownHead: UInt8 = 1
        static let isContinuous: UInt8 = 2
        static let pushesOnly: UInt8 = 4
        static let pullsOnly: UInt8 = 8
        static let hasPlaces: UInt8 = 16
        static let merges: UInt8 = 32
        static let isOld: UInt8 = 64
        static let resets: UInt8 = 128
    }

    /// Milliseconds after which a replicator without another end must have stopped.
    private static let patience = 20_000
    private static let runCount = 3
    private static let visitCount = 20

    static func violation(of conversation: Conversation) throws -> String? {
        guard let listener = LoopbackListener() else { return "there is no socket to listen on" }
        let home = try FuzzDatabase()
        let replicator = Replicator(config: try configuration(home, listener, conversation.options))
        let witness = ReportedErrorChecker(replicator)
        var rest = conversation
        for run in 0..<runCount where run == 0 || !rest.acts.isEmpty {
            replicator.start(reset: run > 0 && rest.options & Option.resets != 0)
            if let flaw = receive(at: listener, replicator, &rest) { return flaw }
        }
        if let flaw = witness.flaw ?? FuzzDatabase.violation(of: replicator.status.error) {
            return flaw
        }
        return try home.violation()
    }

    private static func configuration(
        _ home: FuzzDatabase,
        _ listener: LoopbackListener,
        _ options: UInt8
    ) throws -> ReplicatorConfiguration {
        var collections = [
            CollectionConfiguration(collection: try home.database.defaultCollection())
        ]
        if options & Option.hasPlaces != 0 {
            collections.append(CollectionConfiguration(collection: try home.places()))
        }
        if options & Option.merges != 0 {
            collections[0].conflictResolver = ConflictResolver.fieldMerge
        }
        let url = "ws://127.0.0.1:\(listener.port)/\(FuzzDatabase.name)"
        var configuration = ReplicatorConfiguration(
            collections: collections,
            target: try URLEndpoint(validating: url)
        )
        configuration.continuous = options & Option.isContinuous != 0
        if options & Option.pushesOnly != 0 { configuration.replicatorType = .push }
        if options & Option.pullsOnly != 0 { configuration.replicatorType = .pull }
        configuration.maxAttempts = 1
        return configuration
    }

    /// Accepts the replicator until it has stopped.
    private static func receive(
        at listener: LoopbackListener,
        _ replicator: Replicator,
        _ rest: inout Conversation
    ) -> String? {
        var (waited, visits) = (0, 0)
        while replicator.status.activity != .stopped {
            guard let wire = listener.accept(within: 5) else {
                waited += 5
                guard waited < patience else { return "the replicator does not stop" }
                continue
            }
            waited = 0
            visits += 1
            guard visits < visitCount else { return "the replicator comes \(visits) times" }
            if let flaw = host(wire, &rest) { return flaw }
        }
        return nil
    }

    /// One connection; dropping it ends it.
    private static func host(_ wire: Wire, _ rest: inout Conversation) -> String? {
        guard let (request, more) = HandshakeScript.read(wire) else { return nil }
        let own = rest.options & Option.ownHead != 0 ? rest.takeHead() : nil
        let head = own ?? HandshakeScript.answer(isOld: rest.options & Option.isOld != 0)
        wire.send(HandshakeScript.bytes(head, answering: request))
        guard head.contains(" 101 ") else { return nil }
        var hub = ConversationRunner(wire, role: .server, rest: more, isGarbled: own != nil)
        hub.settle()
        while let act = rest.acts.first, !hub.isOver {
            rest.acts.removeFirst()
            hub.perform(act)
        }
        serve(&hub)
        return hub.flaw
    }

    // MARK: A correct hub

    /// Replies until no more requests arrive, then closes.
    private static func serve(_ hub: inout ConversationRunner) {
        var (quietTurns, answerCount) = (0, 0)
        while !hub.isOver, quietTurns < 2, answerCount < 300 {
            guard let request = hub.asked.first else {
                hub.settle()
                quietTurns += 1
                continue
            }
            quietTurns = 0
            answerCount += 1
            var act = answer(request.profile, request.body)
            act.manner = .hurries
            hub.perform(act)
            if request.profile == "subChanges" { hub.ask(.ask("changes", [], "[]")) }
        }
        if !hub.isOver { hub.close() }
    }

    private static func answer(_ profile: String, _ body: [UInt8]) -> Conversation.Act {
        switch profile {
        case "getCollections":
            let names = (try? JSON(parsing: body.span))?["collections"]?.array ?? []
            let copies = names.map { _ in "{}" }.joined(separator: ",")
            return .answer(profile, "[\(copies)]")
        case "getCheckpoint": return .refusal(profile, "HTTP", "404")
        case "setCheckpoint": return .answer(profile, "", [("rev", "0-1")])
        case "proposeChanges": return .answer(profile, "[]")
        case "getAttachment": return .answer(profile, FuzzDatabase.blob)
        default: return .answer(profile)
        }
    }

    static func seeds() throws -> [[UInt8]] {
        try (ConversationSeeds.hub + Transcripts.acts(of: "S->C")).map(\.bytes)
    }
}

/// Receives what a replicator reports to its listeners, and checks the errors in it.
private final class ReportedErrorChecker: Sendable {
    private let found = Mutex<String?>(nil)
    private let queue = DispatchQueue(label: "divan-fuzz.events")

    init(_ replicator: Replicator) {
        replicator.addChangeListener(withQueue: queue) { [weak self] change in
            self?.judge(change.status.error)
        }
        replicator.addDocumentReplicationListener(withQueue: queue) { [weak self] event in
            for document in event.documents { self?.judge(document.error) }
        }
    }

    /// What was wrong in everything reported so far.
    var flaw: String? {
        queue.sync {}
        return found.withLock { $0 }
    }

    private func judge(_ error: (any Error)?) {
        guard let flaw = FuzzDatabase.violation(of: error) else { return }
        found.withLock { $0 = flaw }
    }
}
