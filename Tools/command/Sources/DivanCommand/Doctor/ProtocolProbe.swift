import CouchbaseLiteSwift
import DivanBLIP
import DivanBLIPChannel
import DivanCommandLine
import DivanCrypto
import DivanJSON
import DivanPlatform
import DivanTransport
import DivanZlib
import Synchronization

/// Uses just enough of the protocol to determine what a peer allows.
///
/// Requests the collections, a checkpoint that does not exist, the first list of changes, and whether a new document
/// could be pushed, which it never sends. Then it measures the throughput: it receives the first documents of the first
/// list and discards them, and sends random bytes to a handler that no peer has.
///
/// Source: `replication.md` §1–§3.
final class ProtocolProbe: BLIPHandler {
    /// The rights to one collection.
    struct Rights: Sendable {
        /// Changes in the first list, `nil` until it arrives.
        var changeCount: Int?
        var readRefusal: BLIPRemoteError?
        var writeRefusal: BLIPRemoteError?
    }

    /// Everything that was found.
    struct Report: Sendable {
        var peer: TransportPeer?
        var close: TransportClose?
        var breach: String?
        /// Which of the collections the peer shares; `nil` if it does not support collections.
        var shares: [Bool]?
        var refusal: BLIPRemoteError?
        var rights: [Int: Rights] = [:]
        var roundTrips: [Duration] = []
        var openTime: Duration?
        /// Documents of the first list, and bytes of their bodies.
        var received: Transfer?
        var receivedCount = 0
        var sent: Transfer?
        /// The profile that has not been answered yet.
        var waitsFor: String?
    }

    /// Bytes, and the time that they took.
    struct Transfer: Sendable {
        var byteCount = 0
        var time = Duration.zero
    }

    /// The limits of the received sample.
    private static let sampleCount = 200
    private static let sampleByteCount = 4 << 20
    private static let sampleTime = Duration.seconds(3)
    /// The size of the sent sample.
    private static let sentByteCount = 256 << 10

    private enum Question {
        case upload
        case collections
        case ping(remaining: Int)
        case read(Int)
        case write(Int)
    }

    private let channel: BLIPChannel
    private let names: [CollectionName]
    private let report: Shared
    private var questions: [BLIPRequestNumber: (Question, ContinuousClock.Instant)] = [:]
    private var unread: Set<Int> = []
    private let begin = ContinuousClock.now
    private var sample: Sample?
    private var hasSent = false

    /// Documents that are being received.
    private struct Sample {
        var remaining: Int
        var transfer = Transfer()
        let begin = ContinuousClock.now
    }

    /// The state that the probe shares with the thread that waits for it.
    final class Shared: Sendable {
        private let hasEnded = TimedSignal()
        private let latest = Mutex(ContinuousClock.now)
        let state = Mutex(Report())

        /// Records that the peer sent something.
        func noteSign() { latest.withLock { $0 = .now } }

        /// Ends the wait.
        func end() { hasEnded.signal() }

        /// Waits for the end, or until the peer is silent for too long.
        func wait(_ patience: Duration, _ onSilence: @escaping () -> Void) {
            let begin = ContinuousClock.now
            var onSilence: (() -> Void)? = onSilence
            while true {
                let silence = ContinuousClock.now - latest.withLock { $0 }
                if silence >= .seconds(1) { onSilence.take()?() }
                let rest = min(patience - silence, patience * 6 - (ContinuousClock.now - begin))
                guard rest > .zero else { return }
                let step = min(rest, onSilence == nil ? rest : .seconds(1))
                if hasEnded.wait(for: step) { return }
            }
        }
    }

    private init(_ channel: BLIPChannel, _ names: [CollectionName], _ report: Shared) {
        self.channel = channel
        self.names = names
        self.report = report
    }

    /// Connects and sends the requests; returns the results when all replies have arrived, nothing arrived for as long
    /// as the patience, or messages kept arriving for six times as long.
    ///
    /// `onSilence` is called once, if nothing arrived for a second.
    static func run(
        over transport: any MessageTransport,
        asking names: [CollectionName],
        patience: Duration,
        onSilence: @escaping () -> Void
    ) -> Report {
        let shared = Shared()
        let channel = BLIPChannel.open(over: transport, codec: DeflateCodec()) { channel in
            ProtocolProbe(channel, names, shared)
        }
        shared.wait(patience, onSilence)
        channel.close()
        return shared.state.withLock { $0 }
    }

    func channelDidOpen(_ peer: TransportPeer) {
        let time = ContinuousClock.now - begin
        report.noteSign()
        report.state.withLock { report in
            report.peer = peer
            report.openTime = time
        }
        let body: JSON = [
            "collections": .array(names.map { .string($0.description) }),
            "checkpoint_ids": .array(names.map { _ in .string("cp-divan-doctor") }),
        ]
        ask("getCollections", .collections, [:], Array(body.canonicalText.utf8))
    }

    func channelDidReceive(_ event: BLIPEvent) {
        report.noteSign()
        switch event {
        case .request(let request): take(request)
        case .reply(let number, let reply):
            guard let (question, time) = questions.removeValue(forKey: number) else { return }
            take(reply, to: question, after: ContinuousClock.now - time)
        case .replyPiece, .bodyFailed: break  // nothing is streamed, no body has a source
        }
        report.state.withLock { $0.waitsFor = waitsFor }
        guard questions.isEmpty, unread.isEmpty, sample == nil else { return }
        if hasSent || report.state.withLock({ $0.shares?.contains(true) != true }) {
            channel.close()
        } else {
            upload()
        }
    }

    private var waitsFor: String? {
        if let question = questions.values.first?.0 {
            return switch question {
            case .collections: "getCollections"
            case .ping: "getCheckpoint"
            case .read: "subChanges"
            case .write: "proposeChanges"
            case .upload: "the throughput test"
            }
        }
        if sample != nil { return "rev" }
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

    private func take(
        _ reply: BLIPIncomingReply,
        to question: Question,
        after duration: Duration
    ) {
        if case .upload = question {
            let transfer = Transfer(byteCount: Self.sentByteCount, time: duration)
            return report.state.withLock { $0.sent = transfer }
        }
        report.state.withLock { $0.roundTrips.append(duration) }
        switch question {
        case .upload: break
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
        for (index, isShared) in answers.enumerated() where isShared && index < names.count {
            note(index) { _ in }
            unread.insert(index)
            ask("subChanges", .read(index), ["collection": "\(index)", "batch": "200"])
            let proposal: JSON = [[.string("divan-doctor"), .string(unknownRevision)]]
            let body = Array(proposal.canonicalText.utf8)
            ask("proposeChanges", .write(index), ["collection": "\(index)"], body)
        }
    }

    /// A revision that does not exist, in the peer's revision scheme.
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

    /// A list of changes, or a requested document.
    private func take(_ request: BLIPIncomingRequest) {
        switch request.profile {
        case "changes": takeChanges(request)
        case "rev":
            acknowledge(request)
            count(request.body.count)
        case "norev":
            acknowledge(request)
            count(0)
        default: channel.reply(to: request.id, with: .noHandler)
        }
    }

    private func acknowledge(_ request: BLIPIncomingRequest) {
        guard !request.isNoReply else { return }
        channel.reply(to: request.id, with: BLIPReply(body: .bytes([])))
    }

    /// Some documents of the first list are requested, none of the others.
    private func takeChanges(_ request: BLIPIncomingRequest) {
        let index = request.properties["collection"].flatMap { Int($0) } ?? 0
        let count = (try? JSON(parsing: request.body))?.array?.count ?? 0
        let isSample = count > 0 && report.state.withLock { $0.received == nil && sample == nil }
        note(index) { $0.changeCount = $0.changeCount ?? count }
        unread.remove(index)
        let wanted = isSample ? min(count, Self.sampleCount) : 0
        if isSample { sample = Sample(remaining: wanted) }
        // No ancestors are known of those that are requested; the answer may be shorter than the list.
        let answer = JSON.array((0..<wanted).map { _ in [] })
        channel.reply(
            to: request.id,
            with: BLIPReply(body: .bytes(Array(answer.canonicalText.utf8)))
        )
    }

    private func count(_ byteCount: Int) {
        guard var sample else { return }
        sample.remaining -= 1
        sample.transfer.byteCount += byteCount
        sample.transfer.time = ContinuousClock.now - sample.begin
        self.sample = sample
        let transfer = sample.transfer
        report.state.withLock { report in
            report.received = transfer
            report.receivedCount += 1
        }
        let isEnough =
            sample.remaining <= 0 || transfer.byteCount >= Self.sampleByteCount
            || transfer.time >= Self.sampleTime
        if isEnough { self.sample = nil }
    }

    /// Sends incompressible bytes to a handler that no peer has: the peer reads all of them before it replies.
    private func upload() {
        hasSent = true
        var random = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.sentByteCount)
        while bytes.count < Self.sentByteCount {
            let word = random.next()
            for shift in stride(from: 0, to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        ask("divan-doctor", .upload, [:], bytes)
    }

    private func note(_ index: Int, _ change: (inout Rights) -> Void) {
        report.state.withLock { change(&$0.rights[index, default: Rights()]) }
    }

    func channelDidFail(_ error: BLIPError) {
        report.state.withLock { $0.breach = "\(error)" }
    }

    func channelDidClose(_ close: TransportClose) {
        report.state.withLock { $0.close = close }
        report.end()
    }
}
