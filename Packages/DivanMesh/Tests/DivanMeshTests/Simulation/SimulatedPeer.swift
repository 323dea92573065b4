import DivanCrypto
import DivanMesh
import DivanTestKit
import Synchronization

/// What takes part in a simulation: a peer, or something that pretends to be one.
protocol MeshActor: AnyObject {
    var id: MeshPeerID { get }
    /// Where it accepts connections.
    var address: MeshAddress { get }

    func handle(_ event: MeshEvent, at now: Duration) -> [MeshEffect]
}

/// A real peer.
final class SimulatedPeer: MeshActor {
    let id: MeshPeerID
    let address: MeshAddress
    private(set) var core: MeshCore
    /// Reports to the application.
    private(set) var isOnline: [MeshPeerID: Bool] = [:]
    /// What it has stored.
    var documents = DocumentSet()
    /// The documents that others send to it; `nil` for all.
    let subscription: DocumentSet?
    /// What it is receiving over any of its links.
    var inFlight = DocumentSet()
    /// Bodies that arrived, including those of documents that it had.
    var receivedCount = 0

    init(
        _ configuration: MeshConfiguration,
        at address: MeshAddress,
        subscription: DocumentSet? = nil
    ) {
        id = configuration.peer
        self.address = address
        self.subscription = subscription
        core = MeshCore(configuration)
    }

    func handle(_ event: MeshEvent, at now: Duration) -> [MeshEffect] {
        let effects = core.handle(event, at: now)
        for case .report(let peer, let isOnline) in effects { self.isOnline[peer] = isOnline }
        return effects
    }

    var openLinks: [MeshLinkStatus] { core.links.filter(\.isOpen) }
    var neighbours: Set<MeshPeerID> { Set(openLinks.compactMap(\.peer)) }
}

/// Random bytes from a seed.
final class SeededSource: RandomSource {
    private let generator: Mutex<SeededGenerator>

    init(seed: UInt64) {
        generator = Mutex(SeededGenerator(seed: seed))
    }

    func bytes(_ count: Int) -> [UInt8] {
        generator.withLock { generator in
            (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }
    }
}

extension MeshPeerID {
    /// A random ID.
    static func random(using generator: inout some RandomNumberGenerator) -> MeshPeerID {
        let seed = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
        return MeshPeerID(certificate: seed.span)
    }

    /// An ID that is the same in each run.
    init(_ number: UInt64) {
        var generator = SeededGenerator(seed: number)
        self = .random(using: &generator)
    }

    static func random(_ count: Int, seed: UInt64) -> [MeshPeerID] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in random(using: &generator) }
    }
}
