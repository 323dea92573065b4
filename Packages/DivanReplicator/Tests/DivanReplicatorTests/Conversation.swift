import DivanCompression
import DivanReplicator
import DivanRevisions
import DivanStore
import DivanTestKit
import DivanZlib

/// Two peers connected by two queues of frames, in virtual time and without threads.
///
/// With a random generator the frames are delivered a few at a time, in random directions; otherwise in turns.
struct Conversation {
    let active: any SyncPeer
    let passive: any SyncPeer
    let here: Site
    let there: Site
    var now: Duration = .zero
    var generator: SeededGenerator?
    var resolve: (StoredConflict) -> ConflictDecision = { _ in .keepLocal }
    /// Damage to a frame in transit, if any.
    var damage: Damage?
    /// Whether conflicts wait for `resolveHeld`.
    var holdsConflicts = false

    private(set) var activeEvents: [DocumentEvent] = []
    private(set) var passiveEvents: [DocumentEvent] = []
    private(set) var statuses: [SyncStatus] = []
    private(set) var closeCode: UInt16?
    private(set) var error: SyncError?
    private(set) var held: [PendingConflict] = []
    private(set) var frameCount = 0
    private(set) var byteCount = 0
    /// `rev` messages sent by either side, as far as they are uncompressed.
    private(set) var sentRevisionCount = 0
    private var toPassive: [[UInt8]] = []
    private var toActive: [[UInt8]] = []

    init(_ options: Options, here: Site, there: Site, subprotocol: Subprotocol = .version3) {
        self.here = here
        self.there = there
        active = options.active.makePeer(store: here.store)
        passive = options.passive.makePeer(store: there.store)
        active.connected(subprotocol: subprotocol.rawValue, at: now)
        passive.connected(subprotocol: subprotocol.rawValue, at: now)
    }

    /// A frame in which a few bytes are changed.
    struct Damage {
        var isToPassive: Bool
        /// Number of frames in that direction that pass unchanged before.
        var afterFrameCount: Int
        var generator: SeededGenerator

        /// Returns the frame as it arrives.
        mutating func pass(_ frame: [UInt8], isToPassive: Bool) -> [UInt8] {
            guard isToPassive == self.isToPassive else { return frame }
            afterFrameCount -= 1
            guard afterFrameCount == -1, !frame.isEmpty else { return frame }
            var changed = frame
            for _ in 0..<3 {
                let place = Int.random(in: 0..<changed.count, using: &generator)
                changed[place] ^= UInt8.random(in: 1...255, using: &generator)
            }
            return changed
        }
    }

    /// The options of a test for both sides.
    struct Options {
        var pushes = true
        var pulls = true
        var isContinuous = false
        var collections: [PeerConfiguration.CollectionOptions] = [.init(.default)]
        var offered: [CollectionPath]?
        var isReset = false
        var retriesRefused = false
        var purgesRevoked = true
        var usesDeltas = false
        var allowsPush = true
        var allowsPull = true
        var compresses = true
        var storesBeside = false
        var limits = ReplicatorLimits()
        var remoteIdentity = "ws://there:4984/db/_blipsync"
        var furtherCodecs: [any CompressionCodec] = []
        /// Which blobs the active side fetches with the revisions.
        var blobs = BlobPolicy.eager
        /// Whether the client only gets the blobs of what it may fetch.
        var bindsBlobs = false
        /// Shared by the connections of one site.
        var inFlight: RevisionsInFlight?

        var active: PeerConfiguration {
            var options = PeerConfiguration.ActiveOptions(
                pushes: pushes,
                pulls: pulls,
                isContinuous: isContinuous,
                collections: collections,
                remoteIdentity: remoteIdentity
            )
            options.isReset = isReset
            options.retriesRefused = retriesRefused
            options.purgesRevoked = purgesRevoked
            options.blobs = blobs
            return configuration(.active(options))
        }

        var passive: PeerConfiguration {
            var options = PeerConfiguration.PassiveOptions(
                collections: offered ?? collections.map(\.path),
                allowsPush: allowsPush,
                allowsPull: allowsPull
            )
            options.bindsBlobs = bindsBlobs
            return configuration(.passive(options))
        }

        private func configuration(_ role: PeerConfiguration.Role) -> PeerConfiguration {
            var configuration = PeerConfiguration(
                role: role,
                codec: DeflateCodec(),
                secondsSince1970: { 1_700_000_000 }
            )
            configuration.usesDeltas = usesDeltas
            configuration.compresses = compresses
            configuration.storesBeside = storesBeside
            configuration.limits = limits
            configuration.furtherCodecs = furtherCodecs
            configuration.inFlight = inFlight
            return configuration
        }
    }

    /// Continues until neither side has anything to send, or the connection is closed.
    mutating func run() {
        while step() {}
        if closeCode != nil {
            active.disconnected(at: now)
            passive.disconnected(at: now)
            drainEffects()
        }
    }

    /// Advances the time and continues.
    mutating func advance(by time: Duration) {
        now += time
        active.advance(to: now)
        passive.advance(to: now)
        run()
    }

    /// Cuts the connection: frames in transit are lost.
    mutating func cut() {
        toActive = []
        toPassive = []
        let lost = SyncError(.webSocket, 1006, "connection lost")
        active.disconnected(error: lost, at: now)
        passive.disconnected(error: lost, at: now)
        drainEffects()
    }

    /// One round; returns whether anything happened.
    mutating func step() -> Bool {
        for change in here.takeChanges() { active.storeChanged(change, at: now) }
        for change in there.takeChanges() { passive.storeChanged(change, at: now) }
        let hasEffects = drainEffects()
        collectFrames()
        guard !toPassive.isEmpty || !toActive.isEmpty else { return hasEffects }
        guard var generator else {
            deliver(toPassive.count, isToPassive: true)
            deliver(toActive.count, isToPassive: false)
            return true
        }
        let isToPassive = toActive.isEmpty || (!toPassive.isEmpty && Bool.random(using: &generator))
        let waiting = isToPassive ? toPassive.count : toActive.count
        deliver(Int.random(in: 1...max(1, waiting), using: &generator), isToPassive: isToPassive)
        self.generator = generator
        return true
    }

    private mutating func collectFrames() {
        var frame: [UInt8] = []
        while active.nextFrame(into: &frame) {
            note(frame)
            toPassive.append(damage?.pass(frame, isToPassive: true) ?? frame)
            frame = []
        }
        while passive.nextFrame(into: &frame) {
            note(frame)
            toActive.append(damage?.pass(frame, isToPassive: false) ?? frame)
            frame = []
        }
    }

    private mutating func note(_ frame: [UInt8]) {
        // Number, flags and the length of the properties precede the first of them.
        let start = String(decoding: frame.prefix(24), as: UTF8.self)
        if start.contains("Profile\0rev\0") { sentRevisionCount += 1 }
    }

    private mutating func deliver(_ count: Int, isToPassive: Bool) {
        guard count > 0 else { return }
        frameCount += count
        let frames = isToPassive ? toPassive : toActive
        byteCount += frames.prefix(count).reduce(0) { $0 + $1.count }
        if isToPassive {
            for frame in toPassive.prefix(count) { passive.receive(frame.span, at: now) }
            toPassive.removeFirst(count)
            passive.inputDrained(at: now)
        } else {
            for frame in toActive.prefix(count) { active.receive(frame.span, at: now) }
            toActive.removeFirst(count)
            active.inputDrained(at: now)
        }
    }

    @discardableResult
    private mutating func drainEffects() -> Bool {
        var isAny = false
        while let effect = active.next() {
            isAny = true
            switch effect {
            case .close(let code, let error):
                closeCode = closeCode ?? code.number
                self.error = self.error ?? error
            case .status(let status): statuses.append(status)
            case .blob, .transfer: break
            case .store(let work):
                work.run()
                active.advance(to: now)
            case .documents(let events): activeEvents += events
            case .resolve(let conflict):
                held.append(conflict)
                if !holdsConflicts { resolveHeld() }
            }
        }
        while let effect = passive.next() {
            isAny = true
            switch effect {
            case .close(let code, let error):
                closeCode = closeCode ?? code.number
                self.error = self.error ?? error
            case .documents(let events): passiveEvents += events
            case .status, .resolve, .blob, .store, .transfer: break
            }
        }
        return isAny
    }

    /// Resolves the waiting conflicts, like a driver.
    mutating func resolveHeld() {
        let conflicts = held
        held = []
        for conflict in conflicts {
            try? here.settle(conflict, closesRemote: active.peerTakesClosedBranches, by: resolve)
            active.conflictResolved(conflict, at: now)
        }
    }
}

extension Conversation {
    /// Runs one one-shot replication to its end.
    static func oneShot(
        _ options: Options = Options(),
        _ here: Site,
        _ there: Site,
        subprotocol: Subprotocol = .version3
    ) -> Conversation {
        var conversation = Conversation(
            options,
            here: here,
            there: there,
            subprotocol: subprotocol
        )
        conversation.run()
        return conversation
    }

    /// The documents that were transferred without an error, as `push doc` and `pull doc`.
    var transfers: [String] {
        activeEvents.filter { $0.error == nil }
            .map { ($0.isPush ? "push " : "pull ") + $0.documentID.text }
    }

    var failures: [DocumentEvent] { activeEvents.filter { $0.error != nil } }
}
