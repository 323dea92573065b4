import Foundation
import Synchronization

/// What lives in this process, for the metrics; it keeps nothing alive.
final class ProcessRegistry: Sendable {
    static let shared = ProcessRegistry()

    let databases = WeakList<Database>()
    let listeners = WeakList<URLEndpointListener>()
    let replicators = WeakList<Replicator>()
    /// What replicators did that are gone: counters never go back.
    let gone = GoneReplicators()
    /// How often live queries were run.
    let liveQueryRuns = Atomic<UInt64>(0)

    private init() {}
}

/// Objects in the order in which they were made, as long as they live.
final class WeakList<Element: AnyObject & Sendable>: Sendable {
    private struct Entry {
        weak var element: Element?
    }

    private struct State {
        var entries: [Entry] = []
        var sweepCount = 64  // how many entries there may be before the dead ones are removed
    }

    private let state = Mutex(State())

    func add(_ element: Element) {
        state.withLock { state in
            state.entries.append(Entry(element: element))
            guard state.entries.count > state.sweepCount else { return }
            state.entries.removeAll { $0.element == nil }
            state.sweepCount = max(64, state.entries.count * 2)
        }
    }

    var all: [Element] { state.withLock { $0.entries.compactMap(\.element) } }
}

/// The sums of replicators that are gone, by what they replicated.
final class GoneReplicators: Sendable {
    /// How many different ones are told apart; the rest counts together.
    private static let limit = 1_000

    private let sums = Mutex<[ReplicatorLabel: Replicator.Statistics]>([:])

    func add(_ label: ReplicatorLabel, _ figures: Replicator.Statistics) {
        sums.withLock { sums in
            let isKnown = sums[label] != nil || sums.count < Self.limit
            sums[isKnown ? label : .others, default: Replicator.Statistics()].add(figures)
        }
    }

    var all: [ReplicatorLabel: Replicator.Statistics] { sums.withLock { $0 } }
}

/// By what the metrics tell replicators apart.
struct ReplicatorLabel: Hashable, Sendable {
    let database: String
    let target: String
    let type: String

    static let others = ReplicatorLabel(database: "others", target: "others", type: "others")

    private init(database: String, target: String, type: String) {
        self.database = database
        self.target = target
        self.type = type
    }

    init(_ configuration: ReplicatorConfiguration) {
        let target =
            switch configuration.target {
            // Without what a URL may hold of secrets.
            case let endpoint as URLEndpoint:
                "\(endpoint.url.scheme ?? "")://\(endpoint.url.host ?? "")"
                    + (endpoint.url.port.map { ":\($0)" } ?? "") + endpoint.url.path
            case let endpoint as DatabaseEndpoint: "database \(endpoint.database.name)"
            default: "messages"
            }
        let type =
            switch configuration.replicatorType {
            case .pushAndPull: "both"
            case .push: "push"
            case .pull: "pull"
            }
        self.init(database: configuration.requiredDatabase.name, target: target, type: type)
    }
}
