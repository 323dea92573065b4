import CouchbaseLiteSwift
import Dispatch
import DivanBLIP
import DivanBLIPChannel
import DivanCommandLine
import DivanJSON
import DivanReplicator
import DivanTransport
import DivanZlib
import Synchronization

/// Asks a peer for the checkpoints that it stores for us, and makes it forget them.
///
/// Uses only this part of the protocol: `getCollections`, or `getCheckpoint` if only the
/// default collection takes part, and `setCheckpoint` with an empty object.
///
/// Source: `replication.md` §1, `checkpoints.md` §7.
final class RemoteCheckpoints: BLIPHandler {
    /// What the peer stores for one collection.
    enum Answer: Sendable, Equatable {
        /// The peer shares no such collection.
        case noCollection
        /// The peer stores none.
        case nothing
        case checkpoint(body: [UInt8], revision: String)
    }

    /// A collection, and the name of our checkpoint of it.
    typealias Name = (collection: CollectionName, id: String)

    /// The result, for the thread that waits.
    private final class Outcome: Sendable {
        let hasEnded = DispatchSemaphore(value: 0)
        let state = Mutex<(answers: [Answer], problem: Failure?)>(([], nil))
    }

    private let channel: BLIPChannel
    private let names: [Name]
    private let forgets: Bool
    private let outcome: Outcome
    private var openCount = 0

    private init(_ channel: BLIPChannel, _ names: [Name], forgets: Bool, _ outcome: Outcome) {
        self.channel = channel
        self.names = names
        self.forgets = forgets
        self.outcome = outcome
    }

    /// Asks, and waits for the answers, one for each name.
    ///
    /// - Throws: `Failure` when the peer cannot be reached or refuses.
    static func ask(
        _ names: [Name],
        over transport: any MessageTransport,
        forgets: Bool
    ) throws(Failure) -> [Answer] {
        let ended = Outcome()
        BLIPChannel.open(over: transport, codec: DeflateCodec()) { channel in
            RemoteCheckpoints(channel, names, forgets: forgets, ended)
        }
        ended.hasEnded.wait()
        let outcome = ended.state.withLock { $0 }
        if let problem = outcome.problem { throw problem }
        guard outcome.answers.count == names.count else {
            throw Failure(
                kind: .unreachable,
                sentence: "the peer closed the connection",
                hint: "try again"
            )
        }
        return outcome.answers
    }

    private var isLegacy: Bool { names.count == 1 && names[0].collection == .default }

    func channelDidOpen(_ peer: TransportPeer) {
        if isLegacy {
            let properties: BLIPProperties = ["client": names[0].id]
            channel.send(BLIPRequest(profile: "getCheckpoint", properties: properties))
        } else {
            let body: JSON = [
                "collections": .array(names.map { .string($0.collection.description) }),
                "checkpoint_ids": .array(names.map { .string($0.id) }),
            ]
            channel.send(
                BLIPRequest(
                    profile: "getCollections",
                    body: .bytes(Array(body.canonicalText.utf8))
                )
            )
        }
        openCount = 1
    }

    func channelDidReceive(_ event: BLIPEvent) {
        switch event {
        case .request(let request): channel.reply(to: request.id, with: .noHandler)
        case .reply(_, let reply):
            openCount -= 1
            let isFirst = outcome.state.withLock { $0.answers.isEmpty }
            if isFirst { takeAnswers(reply) } else { takeReset(reply) }
            if openCount == 0 { channel.close() }
        case .replyPiece, .bodyFailed: break  // no reply is streamed, no body has a source
        }
    }

    private func takeAnswers(_ reply: BLIPIncomingReply) {
        let isNothing = isLegacy && reply.error.map { $0.code == 404 } == true
        if let error = reply.error, !isNothing {
            return fail(Failure(kind: .refused, text: "the peer refused: \(error)"))
        }
        let answers: [Answer]
        if isNothing {
            answers = [.nothing]
        } else if isLegacy {
            answers = [.checkpoint(body: reply.body, revision: reply.properties["rev"] ?? "")]
        } else {
            answers = ((try? JSON(parsing: reply.body))?.array ?? []).map { Self.answer($0) }
        }
        outcome.state.withLock { $0.answers = answers }
        guard forgets, answers.count == names.count else { return }
        for (index, answer) in answers.enumerated() {
            if case .checkpoint(_, let revision) = answer { forget(index, revision) }
        }
    }

    private static func answer(_ value: JSON) -> Answer {
        guard var object = value.object else { return .noCollection }
        guard case .string(let revision)? = object["rev"] else { return .nothing }
        object["rev"] = nil
        let body = Array(JSON.object(object).canonicalText.utf8)
        return .checkpoint(body: body, revision: revision)
    }

    private func forget(_ index: Int, _ revision: String) {
        var properties: BLIPProperties = ["client": names[index].id, "rev": revision]
        if !isLegacy { properties.append("collection", "\(index)") }
        openCount += 1
        channel.send(
            BLIPRequest(
                profile: "setCheckpoint",
                properties: properties,
                body: .bytes([0x7B, 0x7D])
            )
        )
    }

    private func takeReset(_ reply: BLIPIncomingReply) {
        guard let error = reply.error else { return }
        fail(Failure(kind: .refused, text: "the peer did not reset its checkpoint: \(error)"))
    }

    private func fail(_ failure: Failure) {
        outcome.state.withLock { $0.problem = $0.problem ?? failure }
        channel.close()
    }

    func channelDidFail(_ error: BLIPError) {
        fail(Failure(kind: .unreachable, text: "\(error)"))
    }

    func channelDidClose(_ close: TransportClose) {
        if case .failed(let error) = close {
            outcome.state.withLock { state in
                if state.answers.isEmpty { state.problem = state.problem ?? Failure(error) }
            }
        }
        outcome.hasEnded.signal()
    }
}

extension Failure {
    /// A connection that could not be opened, or broke.
    init(_ error: TransportError) {
        let kind: Kind
        switch error.reason {
        case .refused(status: 404, _, _): kind = .notFound
        case .refused(let status, _, _) where (401...407).contains(status): kind = .refused
        case .tls: kind = .refused
        // On this machine: a port that is in use, or an address of another machine.
        case .system("bind", _), .system("listen", _): kind = .failed
        default: kind = .unreachable
        }
        self.init(kind: kind, text: "\(error)")
    }
}
