import DivanCrypto
import DivanReplicator
import DivanRevisions
import DivanStore
import DivanTestKit
import Synchronization
import Testing

/// A random history of one document in two to five databases, and the routes by which they may settle it.
///
/// The history is the same for each route; only the meetings after it differ: their order, who connects, and whether
/// under a known address.
struct RandomHistory {
    let kind: Kind
    let seed: UInt64
    let steps: [Step]
    let count: Int

    /// How revisions are named, and which of two in conflict wins.
    struct Kind: Sendable, CustomTestStringConvertible {
        var scheme: RevisionScheme
        /// The default rule; otherwise the revision with the greater name wins, even over a deletion.
        var isDefaultRule: Bool
        /// Whether all databases have trees at first, and are upgraded at some time.
        var isUpgraded = false

        static let all =
            [true, false].flatMap { rule in
                [
                    Kind(scheme: .trees, isDefaultRule: rule),
                    Kind(scheme: .vectors, isDefaultRule: rule),
                    Kind(scheme: .vectors, isDefaultRule: rule, isUpgraded: true),
                ]
            }

        var testDescription: String {
            let scheme = isUpgraded ? "upgraded to vectors" : "\(scheme)"
            return "\(scheme), \(isDefaultRule ? "default rule" : "the greater revision wins")"
        }
    }

    enum Step {
        /// Creates, edits or restores the document.
        case save(Int)
        case delete(Int)
        case meet(Meeting)
        /// An empty database takes the place of one.
        case replace(Int)
        /// All databases get version vectors.
        case upgrade
    }

    /// One connection, and what it does.
    struct Meeting {
        var active: Int
        var passive: Int
        /// `nil` for the address by which the passive one is known.
        var address: UInt64?
        var pushes = true
        var pulls = true
    }

    init(_ kind: Kind, seed: UInt64) {
        self.kind = kind
        self.seed = seed
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: 2...5, using: &generator)
        self.count = count
        var steps = [Step.save(0)]
        for _ in 0..<Int.random(in: 3...12, using: &generator) {
            let peer = Int.random(in: 0..<count, using: &generator)
            switch Int.random(in: 0..<20, using: &generator) {
            case 0..<6: steps.append(.save(peer))
            case 6..<9: steps.append(.delete(peer))
            case 9: steps.append(.replace(peer))
            default: steps.append(.meet(Meeting(between: count, &generator)))
            }
        }
        if kind.isUpgraded {
            steps.insert(.upgrade, at: Int.random(in: 1...steps.count, using: &generator))
        }
        self.steps = steps
    }

    /// Performs the history, then one route; returns the databases.
    func settled(by route: UInt64) throws -> World {
        var world = World(self)
        for step in steps { try world.perform(step) }
        world.winner = try world.expectedWinner()
        var generator = SeededGenerator(seed: seed &* 1_000 &+ route)
        for _ in 0..<8 {
            var pairs = (0..<count).flatMap { first in (0..<first).map { (first, $0) } }
            pairs.shuffle(using: &generator)
            for (first, second) in pairs {
                var meeting = Meeting(active: first, passive: second)
                if Bool.random(using: &generator) { swap(&meeting.active, &meeting.passive) }
                if Bool.random(using: &generator) { meeting.address = generator.next() }
                try world.perform(.meet(meeting))
            }
            if try world.isSettled() { break }
        }
        return world
    }
}

extension RandomHistory.Meeting {
    fileprivate init(between count: Int, _ generator: inout SeededGenerator) {
        active = Int.random(in: 0..<count, using: &generator)
        passive = (active + Int.random(in: 1..<count, using: &generator)) % count
        if Int.random(in: 0..<3, using: &generator) == 0 { address = generator.next() }
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: pushes = false
        case 1: pulls = false
        default: break
        }
    }
}

extension RandomHistory {
    /// The databases of a history.
    struct World {
        private(set) var sites: [Site] = []
        private(set) var log: [String] = []
        /// The state in which all must end, as `state(of:)` describes it.
        fileprivate(set) var winner = ""
        private let kind: Kind
        private var scheme: RevisionScheme
        /// Whether a document was restored in a tree: by a save under the default rule, or by a peer that pushes
        /// without pulling (`compatibility.md`).
        ///
        /// A tree does not say which of its revisions are deletions, so an edit that the deletion won over may
        /// win over the restored document, or not, depending on which of them meet first. A peer that only pushes
        /// is not told of the deletion.
        private(set) var mayDependOnRoute = false
        private let clock = VirtualClock()
        private let seed: UInt64
        private var databaseCount: UInt64 = 0
        private var saveCount = 0

        static let documentID: DocumentID = "doc"

        init(_ history: RandomHistory) {
            (kind, seed) = (history.kind, history.seed)
            scheme = kind.isUpgraded ? .trees : kind.scheme
            for _ in 0..<history.count { if let site = try? makeSite() { sites.append(site) } }
        }

        private mutating func makeSite() throws -> Site {
            databaseCount += 1
            let clock = clock
            return try Site(
                .inMemory(
                    scheme: scheme,
                    random: SeededSource(seed: seed &* 100 &+ databaseCount),
                    wallTime: { clock.now }
                )
            )
        }

        mutating func perform(_ step: Step) throws {
            clock.pass()
            switch step {
            case .save(let peer): try save(peer)
            case .delete(let peer):
                guard try sites[peer].body(Self.documentID) != nil else { return }
                log.append("\(peer) deletes \(try sites[peer].delete(Self.documentID))")
            case .replace(let peer):
                sites[peer] = try makeSite()
                log.append("\(peer) is empty")
            case .meet(let meeting): try meet(meeting)
            case .upgrade:
                scheme = .vectors
                for site in sites { try site.store.upgradeToVersionVectors() }
                log.append("all are upgraded")
            }
        }

        private mutating func save(_ peer: Int) throws {
            if try isDeleted(at: peer), kind.isDefaultRule, scheme == .trees {
                mayDependOnRoute = true
            }
            saveCount += 1
            let body = #"{"n":\#(saveCount)}"#
            log.append("\(peer) saves \(try sites[peer].save(Self.documentID, body)) \(body)")
        }

        private mutating func meet(_ meeting: Meeting) throws {
            let address = meeting.address.map { "new-\($0)" } ?? "peer-\(meeting.passive)"
            var options = Conversation.Options()
            options.pushes = meeting.pushes
            options.pulls = meeting.pulls
            options.remoteIdentity = "ws://\(address):4984/db/_blipsync"
            var run = Conversation(
                options,
                here: sites[meeting.active],
                there: sites[meeting.passive],
                subprotocol: scheme == .trees ? .version3 : .version4
            )
            run.resolve = { [kind] in kind.decision($0) }
            let wasDeleted = try isDeleted(at: meeting.passive)
            run.run()
            if wasDeleted, try !isDeleted(at: meeting.passive), scheme == .trees, !meeting.pulls {
                mayDependOnRoute = true
            }
            let ways = "\(meeting.pushes ? "push" : "")\(meeting.pulls ? "pull" : "")"
            let states = try [meeting.active, meeting.passive].map { try state(of: $0) }
            log.append(
                "\(meeting.active) \(ways) \(meeting.passive) at \(address): \(states), \(run.closeCode ?? 0)"
            )
        }

        private func isDeleted(at peer: Int) throws -> Bool {
            try sites[peer].revision(Self.documentID) != nil
                && sites[peer].body(Self.documentID) == nil
        }

        /// The revision, and the body of a live one.
        func state(of peer: Int) throws -> String {
            let revision = try sites[peer].revision(Self.documentID) ?? "none"
            return try "\(revision) " + (sites[peer].body(Self.documentID) ?? "deleted")
        }

        /// The content, whatever the revision is called: two databases may decide alike under two names.
        func contents() throws -> [String] {
            try sites.map { site in
                guard try site.revision(Self.documentID) != nil else { return "none" }
                return try site.body(Self.documentID) ?? "deleted"
            }
        }

        func isSettled() throws -> Bool {
            let states = try sites.indices.map { try state(of: $0) }
            return Set(states).count == 1
        }

        /// The winner among the current revisions, which the order of meetings must not change.
        fileprivate func expectedWinner() throws -> String {
            let places = try sites.indices.compactMap { peer in
                try sites[peer].store.read { reader -> (peer: Int, place: Precedence)? in
                    let history = try reader.revisions(of: Self.documentID, in: .default)
                    guard let history, let current = history.current else { return nil }
                    return history.precedence(of: current.id).map { place in
                        (peer, kind.isDefaultRule ? place : Kind.place(current.id))
                    }
                }
            }
            guard let first = places.max(by: { $0.place < $1.place }) else { return "none" }
            return try sites[first.peer].body(Self.documentID) ?? "deleted"
        }
    }
}

extension RandomHistory.Kind {
    /// The place of a revision whose name alone counts.
    fileprivate static func place(_ id: RevisionID) -> Precedence {
        Precedence(id, isTombstone: false)
    }

    fileprivate func decision(_ conflict: StoredConflict) -> ConflictDecision {
        let (local, remote) =
            isDefaultRule
            ? (conflict.precedence.local, conflict.precedence.remote)
            : (Self.place(conflict.local.revisionID), Self.place(conflict.remote.revisionID))
        return remote < local ? .keepLocal : .keepRemote
    }
}

/// Wall time that passes when a test says so: a millisecond at a time.
final class VirtualClock: Sendable {
    private let time = Mutex<UInt64>(1_800_000_000_000_000_000)

    var now: UInt64 { time.withLock { $0 } }

    func pass() { time.withLock { $0 += 1_000_000 } }
}

/// Bytes that a seed determines.
final class SeededSource: RandomSource {
    private let generator: Mutex<SeededGenerator>

    init(seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

    func bytes(_ count: Int) -> [UInt8] {
        generator.withLock { generator in
            (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }
    }
}
