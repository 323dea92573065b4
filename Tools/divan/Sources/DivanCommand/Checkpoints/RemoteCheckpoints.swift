import Dispatch
import DivanBLIP
import DivanCommandLine
import DivanJSON
import DivanReplicator
import DivanStore
import DivanTransport
import DivanZlib
import Synchronization

/// Asks a peer for the checkpoints that it keeps for us, and makes it forget them.
///
/// Speaks no more of the protocol than that: `getCollections`, or `getCheckpoint` where only the
/// default collection takes part, and `setCheckpoint` with an empty object.
///
/// Source: `replication.md` §1, `checkpoints.md` §7.
final class RemoteCheckpoints: MessageReceiver, @unchecked Sendable {
    // Unchecked: everything but `outcome` is touched on the transport's loop only.

    /// What the peer keeps for one collection.
    enum Answer: Sendable, Equatable {
        /// The peer shares no such collection.
        case noCollection
        /// The peer keeps none.
        case nothing
        case checkpoint(body: [UInt8], revision: String)
    }

    private struct Outcome {
        var answers: [Answer] = []
        var problem: Failure?
    }

    private let transport: any MessageTransport
    private let names: [(path: CollectionPath, id: String)]
    private let forgets: Bool
    private let hasEnded = DispatchSemaphore(value: 0)
    private let outcome = Mutex(Outcome())
    private var connection = BLIPConnection(codec: DeflateCodec())
    private var openCount = 0

    /// Prepares the question for checkpoints by collection and name.
    init(
        _ names: [(path: CollectionPath, id: String)],
        over transport: any MessageTransport,
        forgets: Bool
    ) {
        self.names = names
        self.transport = transport
        self.forgets = forgets
    }

    /// Asks, and waits for the answers, one for each name.
    ///
    /// - Throws: `Failure` when the peer cannot be reached or refuses.
    func ask() throws(Failure) -> [Answer] {
        transport.start(self)
        hasEnded.wait()
        let outcome = outcome.withLock { $0 }
        if let problem = outcome.problem { throw problem }
        guard outcome.answers.count == names.count else {
            throw Failure(kind: .unreachable, sentence: "the peer ended the connection; try again")
        }
        return outcome.answers
    }

    private var isLegacy: Bool { names.count == 1 && names[0].path == .default }

    func transportDidOpen(_ peer: TransportPeer) {
        if isLegacy {
            let properties: BLIPProperties = ["client": names[0].id]
            connection.send(BLIPRequest(profile: "getCheckpoint", properties: properties))
        } else {
            let body: JSON = [
                "collections": .array(names.map { .string($0.path.wireName) }),
                "checkpoint_ids": .array(names.map { .string($0.id) }),
            ]
            connection.send(
                BLIPRequest(
                    profile: "getCollections",
                    body: .bytes(Array(body.canonicalText.utf8))
                )
            )
        }
        openCount = 1
        writeFrames()
    }

    func transportDidReceive(_ message: ArraySlice<UInt8>) {
        do {
            try connection.receive(message.span)
            while let event = connection.next() { take(event) }
        } catch {
            fail(Failure(kind: .unreachable, sentence: "\(error)"))
        }
    }

    private func take(_ event: BLIPEvent) {
        switch event {
        case .request(let request): connection.reply(to: request.id, with: .noHandler)
        case .reply(_, let reply):
            openCount -= 1
            let isFirst = outcome.withLock { $0.answers.isEmpty }
            if isFirst { takeAnswers(reply) } else { takeReset(reply) }
            if openCount == 0 { transport.close(code: 1000, reason: "") }
        case .replyPiece, .bodyFailed: break  // no reply is streamed, no body has a source
        }
    }

    private func takeAnswers(_ reply: BLIPIncomingReply) {
        let isNothing = isLegacy && reply.error.map { $0.code == 404 } == true
        if let error = reply.error, !isNothing {
            return fail(Failure(kind: .refused, sentence: "the peer refused: \(error)"))
        }
        let answers: [Answer]
        if isNothing {
            answers = [.nothing]
        } else if isLegacy {
            answers = [.checkpoint(body: reply.body, revision: reply.properties["rev"] ?? "")]
        } else {
            answers = ((try? JSON(parsing: reply.body))?.array ?? []).map { Self.answer($0) }
        }
        outcome.withLock { $0.answers = answers }
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
        connection.send(
            BLIPRequest(
                profile: "setCheckpoint",
                properties: properties,
                body: .bytes([0x7B, 0x7D])
            )
        )
    }

    private func takeReset(_ reply: BLIPIncomingReply) {
        guard let error = reply.error else { return }
        fail(Failure(kind: .refused, sentence: "the peer keeps its checkpoint: \(error)"))
    }

    private func fail(_ failure: Failure) {
        outcome.withLock { $0.problem = $0.problem ?? failure }
        transport.close(code: 1000, reason: "")
    }

    func transportDidDrainInput() { writeFrames() }

    func transportDidBecomeWritable() { writeFrames() }

    private func writeFrames() {
        var frame: [UInt8] = []
        while transport.isWritable, connection.nextFrame(into: &frame) {
            transport.send(frame)
            frame.removeAll(keepingCapacity: true)
        }
    }

    func transportDidClose(_ close: TransportClose) {
        if case .failed(let error) = close {
            outcome.withLock { outcome in
                if outcome.answers.isEmpty { outcome.problem = outcome.problem ?? Failure(error) }
            }
        }
        hasEnded.signal()
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
        default: kind = .unreachable
        }
        self.init(kind: kind, sentence: "\(error)")
    }
}
