import DivanHTTP
import Synchronization

/// The times until requests of one kind were answered.
///
/// The labels are taken from the table of endpoints, so a client cannot add any.
public struct RESTLatency: Sendable {
    /// The greatest duration of each bucket, in seconds; a last bucket has no bound.
    public static let bounds = [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    /// The path as the OpenAPI document has it, such as `/{database}/_query`; `other` for a path that is no endpoint.
    public let route: String
    /// The method; `other` for one that the endpoint does not have.
    public let method: String
    /// The class of the status, such as `2xx`.
    public let statusClass: String
    /// The number of requests in each bucket, and in the last one.
    public private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
    /// The sum of the durations, in seconds.
    public private(set) var seconds = 0.0

    fileprivate init(_ key: RESTLatencies.Key) {
        route = key.route
        method = key.method
        statusClass = key.statusClass
    }

    fileprivate mutating func add(_ duration: Duration) {
        let seconds = duration / .seconds(1)
        counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
        self.seconds += seconds
    }
}

/// The latencies of a server, by kinds of requests.
final class RESTLatencies: Sendable {
    fileprivate struct Key: Hashable {
        let route: String
        let method: String
        let statusClass: String
    }

    private let latencies = Mutex<[Key: RESTLatency]>([:])

    /// All kinds that were requested, in a fixed order.
    var all: [RESTLatency] {
        latencies.withLock { Array($0.values) }.sorted {
            ($0.route, $0.method, $0.statusClass) < ($1.route, $1.method, $1.statusClass)
        }
    }

    /// Counts a request that is being answered.
    func add(_ request: HTTPRequest, status: Int, _ duration: Duration) {
        let endpoint = RESTEndpoint.fitting(request.target)?.endpoint
        let isKnown = endpoint?.operations.contains { $0.method == request.method } ?? false
        let key = Key(
            route: endpoint?.template ?? "other",
            method: isKnown ? request.method : "other",
            statusClass: "\(min(max(status / 100, 1), 5))xx"
        )
        latencies.withLock { $0[key, default: RESTLatency(key)].add(duration) }
    }
}
