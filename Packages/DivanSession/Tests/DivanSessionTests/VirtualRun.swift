import DivanReplicator
import DivanSession
import DivanSimulation
import DivanStore
import DivanTestKit
import DivanTransport
import DivanZlib
import Synchronization

/// One session and one listener in virtual time, with everything that the session reports and when.
final class VirtualRun {
    let loop = VirtualLoop()
    let network: SimulatedNetwork
    let here: Store
    let there: Store
    let session: ActiveSession
    private let told: Events

    final class Events: Sendable {
        let statuses = Mutex<[(time: Duration, status: SyncStatus)]>([])
        let attempts = Mutex<[Duration]>([])
        let documents = Mutex<[DocumentEvent]>([])
    }

    /// What a test requires of the session.
    struct Setting {
        var isContinuous = false
        var retry: RetrySchedule?
        /// The failure of every attempt, at once; if `nil` the network decides.
        var failure: TransportError.Reason?
        var heartbeat: Duration = .seconds(300)
        var isListening = true
        var here = Store.inMemory()
        var there = Store.inMemory()
        var change: @Sendable (inout ActiveSession.Configuration) -> Void = { _ in }
    }

    init(_ setting: Setting) {
        here = setting.here
        there = setting.there
        let (loop, there, here) = (loop, setting.there, setting.here)
        var conditions = SimulatedConditions()
        conditions.latency = .milliseconds(1) ... .milliseconds(1)
        conditions.heartbeat = setting.heartbeat
        let network = SimulatedNetwork(
            loop: loop,
            random: SeededGenerator(seed: 1),
            conditions: conditions
        )
        self.network = network
        let told = Events()
        self.told = told
        let passive = PeerConfiguration(
            role: .passive(.init(collections: [.default])),
            codec: DeflateCodec(),
            secondsSince1970: { 1_700_000_000 }
        )
        let active = TwoStores().active(isContinuous: setting.isContinuous)
        let (failure, subprotocols) = (setting.failure, active.subprotocols)
        var configuration = ActiveSession.Configuration(peer: active) { _ in
            told.attempts.withLock { $0.append(loop.now) }
            guard let failure else {
                return network.makeTransport(from: "here", to: "there", subprotocols: subprotocols)
            }
            let error = TransportError(failure, place: "ws://there/db")
            return ClosedTransport(loop: loop, ending: .failed(error))
        }
        configuration.retry = setting.retry
        configuration.runResolver = { loop.execute($0) }
        configuration.runStoring = { loop.execute($0) }
        configuration.onStatus = { status in
            told.statuses.withLock { $0.append((loop.now, status)) }
        }
        configuration.onDocuments = { events in told.documents.withLock { $0 += events } }
        setting.change(&configuration)
        session = ActiveSession(store: here, configuration: configuration, loop: loop)
        if setting.isListening { listen(passive, there) }
    }

    private func listen(_ passive: PeerConfiguration, _ there: Store) {
        network.listen(
            at: "there",
            choosing: { passive.choose(from: $0)?.rawValue },
            accept: { PassiveSession(store: there, peer: passive, transport: $0).start() }
        )
    }

    /// Starts or resumes listening.
    func listen() {
        let role = PeerConfiguration.Role.passive(.init(collections: [.default]))
        listen(PeerConfiguration(role: role, codec: DeflateCodec()), there)
    }

    /// The times at which a connection was attempted.
    var attempts: [Duration] { told.attempts.withLock { $0 } }

    /// The waits between the attempts, in whole seconds.
    var waits: [Int64] {
        zip(attempts.dropFirst(), attempts).map { ($0 - $1).components.seconds }
    }

    var statuses: [SyncStatus] { told.statuses.withLock { $0.map(\.status) } }
    var timedStatuses: [(time: Duration, status: SyncStatus)] { told.statuses.withLock { $0 } }
    var documents: [DocumentEvent] { told.documents.withLock { $0 } }

    /// The activities in order; repeated reports of progress count once.
    var activities: [SyncStatus.Activity] {
        statuses.map(\.activity).reduce(into: []) { list, activity in
            if list.last != activity { list.append(activity) }
        }
    }

    /// Starts the session and lets that much time pass.
    func run(for time: Duration) {
        session.start()
        loop.run(for: time)
    }
}

/// A transport that never opens.
final class ClosedTransport: MessageTransport {
    let loop: any EventLoop
    let ending: TransportClose

    init(loop: any EventLoop, ending: TransportClose) {
        self.loop = loop
        self.ending = ending
    }

    var isWritable: Bool { false }

    func start(_ receiver: any MessageReceiver) {
        loop.execute { receiver.transportDidClose(self.ending) }
    }

    func send(_ message: Span<UInt8>) {}
    func close(code: UInt16, reason: String) {}
}
