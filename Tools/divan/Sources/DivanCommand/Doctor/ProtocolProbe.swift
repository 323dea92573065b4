import Dispatch
import DivanBLIP
import DivanBLIPChannel
import DivanCrypto
import DivanJSON
import DivanStore
import DivanTransport
import DivanZlib
import Synchronization

/// Speaks just enough of the protocol to know what a peer would let us do.
///
/// Asks for the collections, for a checkpoint that nobody has, for the first list of changes, of
/// which it wants none, and whether a document that nobody has could be pushed, which it never sends.
///
/// Source: `replication.md` §1–§3.
final class ProtocolProbe: BLIPHandler {
    /// What a peer said about one collection.
    struct Rights: Sendable {
        /// Changes in the first list, `nil` until it came.
        var changeCount: Int?
        var readRefusal: BLIPRemoteError?
        var writeRefusal: BLIPRemoteError?
    }

    /// Everything that was found.
    struct Report: Sendable {
        var peer: TransportPeer?
        var close: TransportClose?
        var breach: String?
        /// Which of the collections the peer shares; `nil` when it knows no collections.
        var shares: [Bool]?
        var refusal: BLIPRemoteError?
        var rights: [Int: Rights] = [:]
        var roundTrips: [Duration] = []
        var openTime: Duration?
        /// The profile that waits for its answer.
        var waitsFor: String?
    }

    private enum Question {
        case collections
        case ping(remaining: Int)
        case read(Int)
        case write(Int)
    }

    private let channel: BLIPChannel
    private let paths: [CollectionPath]
    private let report: Shared
    private var questions: [BLIPRequestNumber: (Question, ContinuousClock.Instant)] = [:]
    private var unread: Set<Int> = []
    private let begin = ContinuousClock.now

    /// What the probe and the thread that waits for it share.
    final class Shared: Sendable {
        let hasEnded = DispatchSemaphore(value: 0)
        let state = Mutex(Report())
    }

    private init(_ channel: BLIPChannel, _ paths: [CollectionPath], _ report: Shared) {
        self.channel = channel
        self.paths = paths
        self.report = report
    }

    /// Connects and asks; returns what is known when all is answered, or the patience is at its end.
    static func run(
        over transport: any MessageTransport,
        asking paths: [CollectionPath],
        patience: Duration
    ) -> Report {
        let shared = Shared()
        let channel = BLIPChannel.open(over: transport, codec: DeflateCodec()) { channel in
            ProtocolProbe(channel, paths, shared)
        }
        let seconds = Int(clamping: patience.components.seconds)
        _ = shared.hasEnded.wait(timeout: .now() + .seconds(seconds))
        channel.close()
        return shared.state.withLock { $0 }
    }

    func channelDidOpen(_ peer: TransportPeer) {
        let time = ContinuousClock.now - begin
        report.state.withLock { report in
            report.peer = peer
            report.openTime = time
        }
        let body: JSON = [
            "collections": .array(paths.map { .string($0.wireName) }),
            "checkpoint_ids": .array(paths.map { _ in .string("cp-divan-doctor") }),
        ]
        ask("getCollections", .collections, [:], Array(body.canonicalText.utf8))
    }

    func channelDidReceive(_ event: BLIPEvent) {
        switch event {
        case .request(let request): take(request)
        case .reply(let number, let reply):
            guard let (question, time) = questions.removeValue(forKey: number) else { return }
            let duration = ContinuousClock.now - time
            report.state.withLock { $0.roundTrips.append(duration) }
            take(reply, to: question)
        case .replyPiece, .bodyFailed: break  // nothing is streamed, no body has a source
        }
        report.state.withLock { $0.waitsFor = waitsFor }
        if questions.isEmpty, unread.isEmpty { channel.close() }
    }

    private var waitsFor: String? {
        if let question = questions.values.first?.0 {
            return switch question {
            case .collections: "getCollections"
            case .ping: "getCheckpoint"
            case .read: "subChanges"
            case .write: "proposeChanges"
            }
        }
        return unread.isEmpty ? nil : "changes"
    }

    private func ask(
        _ profile: String,
        _ question: Question,
        _ properties: BLIPProperties,
        _ body: [UInt8] = []
    ) {
        let request = BLIPRequest(profile: profile, properties: properties, body: .bytes(body))
        guard let number = channel.send(request) else { return }
        questions[number] = (question, .now)
        report.state.withLock { $0.waitsFor = profile }
    }

    private func take(_ reply: BLIPIncomingReply, to question: Question) {
        switch question {
        case .collections: takeCollections(reply)
        case .ping(let remaining): if remaining > 0 { ping(remaining - 1) }
        case .read(let index):
            guard let error = reply.error else { return }
            unread.remove(index)
            note(index) { $0.readRefusal = error }
        case .write(let index):
            let answer = (try? JSON(parsing: reply.body))?.array?.first?.int
            let refusal = answer.flatMap { code -> BLIPRemoteError? in
                code < 400 || code == 409
                    ? nil : BLIPRemoteError(domain: "HTTP", code: Int(code), message: "")
            }
            note(index) { $0.writeRefusal = reply.error ?? refusal }
        }
    }

    private func takeCollections(_ reply: BLIPIncomingReply) {
        guard reply.error == nil else {
            return report.state.withLock { $0.refusal = reply.error }
        }
        let answers = ((try? JSON(parsing: reply.body))?.array ?? []).map { $0.object != nil }
        report.state.withLock { $0.shares = answers }
        guard answers.contains(true) else { return }
        ping(3)
        for (index, isShared) in answers.enumerated() where isShared && index < paths.count {
            note(index) { _ in }
            unread.insert(index)
            ask("subChanges", .read(index), ["collection": "\(index)", "batch": "200"])
            let proposal: JSON = [[.string("divan-doctor"), .string(unknownRevision)]]
            let body = Array(proposal.canonicalText.utf8)
            ask("proposeChanges", .write(index), ["collection": "\(index)"], body)
        }
    }

    /// A revision that nobody has, in the peer's way of naming.
    private var unknownRevision: String {
        let version = report.state.withLock { $0.peer?.subprotocol } ?? ""
        if version.contains("CBMobile_4") { return "1@ZGl2YW4tZG9jdG9yLTAwMQ" }
        return "1-" + Hex.encode([UInt8](repeating: 0xD1, count: 20).span)
    }

    private func ping(_ remaining: Int) {
        let index = report.state.withLock { $0.shares?.firstIndex(of: true) } ?? 0
        let properties: BLIPProperties = ["client": "cp-divan-doctor", "collection": "\(index)"]
        ask("getCheckpoint", .ping(remaining: remaining), properties)
    }

    /// A list of changes: none is wanted.
    private func take(_ request: BLIPIncomingRequest) {
        guard request.profile == "changes" else {
            return channel.reply(to: request.id, with: .noHandler)
        }
        let index = request.properties["collection"].flatMap { Int($0) } ?? 0
        let count = (try? JSON(parsing: request.body))?.array?.count ?? 0
        note(index) { $0.changeCount = $0.changeCount ?? count }
        unread.remove(index)
        channel.reply(to: request.id, with: BLIPReply(body: .bytes([0x5B, 0x5D])))
    }

    private func note(_ index: Int, _ change: (inout Rights) -> Void) {
        report.state.withLock { change(&$0.rights[index, default: Rights()]) }
    }

    func channelDidFail(_ error: BLIPError) {
        report.state.withLock { $0.breach = "\(error)" }
    }

    func channelDidClose(_ close: TransportClose) {
        report.state.withLock { $0.close = close }
        report.hasEnded.signal()
    }
}
