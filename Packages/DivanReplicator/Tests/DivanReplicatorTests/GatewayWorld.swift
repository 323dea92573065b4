import DivanReplicator
import DivanRevisions
import DivanStore
import DivanTestKit

/// Three databases with different resolvers, and a server; everything follows from the seed.
struct GatewayWorld {
    let gateway: GatewayModel
    private(set) var log: [String] = []
    /// What a sync said to be in order and was not.
    private(set) var problems: [String] = []
    private var sites: [Site] = []
    private var resolvers: [Resolver] = []
    private var generator: SeededGenerator
    private let clock = VirtualClock()
    private var saveCount = 0

    private static let documentIDs: [DocumentID] = ["s", "t"]

    private enum Resolver: CaseIterable {
        case local, remote, standard, merge

        func decision(_ conflict: StoredConflict) -> ConflictDecision {
            switch self {
            case .local: return .keepLocal
            case .remote: return .keepRemote
            case .standard: return RandomMeetings.winner(conflict)
            case .merge:
                let body =
                    "{\"merged\":\"\(conflict.local.revisionID) \(conflict.remote.revisionID)\"}"
                return .merge(body: Array(body.utf8), hasBlobs: false)
            }
        }
    }

    init(_ scheme: RevisionScheme, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let answersFromVector = Bool.random(using: &generator)
        gateway = GatewayModel(scheme, answersFromVector: answersFromVector, clock: clock)
        for number in UInt64(0)..<3 {
            let clock = clock
            let random = SeededSource(seed: seed &* 100 &+ number)
            let store = Store.inMemory(scheme: scheme, random: random, wallTime: { clock.now })
            sites.append(try Site(store))
            resolvers.append(Resolver.allCases.randomElement(using: &generator) ?? .local)
        }
        self.generator = generator
    }

    /// Random edits and deletions on all sides, and syncs, some of which are cut.
    mutating func wander() throws {
        for _ in 0..<Int.random(in: 8...24, using: &generator) {
            clock.pass()
            let id = Self.documentIDs[Int.random(in: 0...1, using: &generator)]
            let index = Int.random(in: sites.indices, using: &generator)
            switch Int.random(in: 0..<12, using: &generator) {
            case 0: try saveAtGateway(id)
            case 1:
                guard gateway.body(id) != nil else { continue }
                try gateway.save(id, "{}", isTombstone: true)
                log.append("gateway deletes \(id)")
            case 2..<5: try save(id, index)
            case 5..<7:
                guard try sites[index].body(id) != nil else { continue }
                log.append("\(index) deletes \(id): \(try sites[index].delete(id))")
            case 7..<9: try sync(index, cutAfter: Int.random(in: 0..<40, using: &generator))
            default: try sync(index)
            }
        }
    }

    private mutating func saveAtGateway(_ id: DocumentID) throws {
        saveCount += 1
        try gateway.save(id, #"{"n":\#(saveCount)}"#)
        log.append("gateway saves \(id) \(saveCount)")
    }

    private mutating func save(_ id: DocumentID, _ index: Int) throws {
        saveCount += 1
        let revision = try sites[index].save(id, #"{"n":\#(saveCount)}"#)
        log.append("\(index) saves \(id) \(saveCount): \(revision)")
    }

    /// Syncs all until nothing changes; what was refused because its deletion was left out is fetched anew.
    mutating func settle() throws {
        for _ in 0..<6 {
            for index in sites.indices {
                clock.pass()
                try sync(index, isReset: try !refusals(index).isEmpty)
            }
            if try differences().isEmpty { return }
        }
    }

    private func refusals(_ index: Int) throws -> [Refusal] {
        let store = sites[index].store
        let remote = try store.remoteID(for: Conversation.Options().remoteIdentity)
        return try store.read { try $0.refusals(in: .default, at: remote) }
    }

    private mutating func sync(
        _ index: Int,
        cutAfter frameCount: Int = .max,
        isReset: Bool = false
    ) throws {
        var options = Conversation.Options()
        options.isReset = isReset
        let resolver = resolvers[index]
        var run = GatewayMeeting(sites[index], gateway, options) { resolver.decision($0) }
        try run.run(cutAfter: frameCount)
        let states = try Self.documentIDs.map {
            try "\(state($0, index)) / \(gateway.body($0) ?? "-")"
        }
        log.append(
            "\(index) (\(resolver)) syncs\(isReset ? " anew" : ""), cut \(frameCount), "
                + "closed \(run.closeCode ?? 0): \(states)"
        )
        guard run.closeCode == 1000, run.events.allSatisfy({ $0.error == nil }) else { return }
        // A tree's push may revive a document whose deletion was announced before: the next sync brings it back.
        guard gateway.scheme == .vectors || run.events.isEmpty else { return }
        for id in Self.documentIDs where try differs(id, index) {
            guard try saysOK(id, index) else { continue }
            problems.append("\(index) says that \(id) is in order, after line \(log.count)")
        }
    }

    private func state(_ id: DocumentID, _ index: Int) throws -> String {
        try "\(id) \(sites[index].revision(id) ?? "none") \(sites[index].body(id) ?? "-")"
    }

    private func differs(_ id: DocumentID, _ index: Int) throws -> Bool {
        try sites[index].body(id) != gateway.body(id)
    }

    /// Where a database and the server differ.
    func differences() throws -> [String] {
        try sites.indices.flatMap { index in
            try Self.documentIDs.filter { try differs($0, index) }.map { id in
                try "\(state(id, index)) at \(index), \(gateway.body(id) ?? "-") at the gateway"
            }
        }
    }

    /// Whether the database reports nothing about a document: no conflict, no refusal, nothing pending.
    private func saysOK(_ id: DocumentID, _ index: Int) throws -> Bool {
        let store = sites[index].store
        let (options, collection) = (
            Conversation.Options(), PeerConfiguration.CollectionOptions(.default)
        )
        guard case .active(let active) = options.active.role else { return false }
        if try refusals(index).contains(where: { $0.documentID == id }) { return false }
        let remote = try store.remoteID(for: options.remoteIdentity)
        let copy = try CheckpointNames(of: collection, active, in: store).localCopy(in: store)
        let completed = copy.map { Checkpoint(json: $0.body).completed } ?? SequenceSet(through: 0)
        return try store.read { reader in
            guard try reader.conflict(of: id, in: .default) == nil else { return false }
            let rows = try reader.changes(in: .default, after: 0, limit: 100, remote: remote)
            guard let row = rows.first(where: { $0.documentID == id }) else { return true }
            return completed.contains(row.sequence) || row.remoteAncestor == row.revisionID
        }
    }
}
