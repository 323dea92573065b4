import Foundation

/// What identifies a replicator in the metrics.
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
            // Without any secrets in the URL.
            case let endpoint as URLEndpoint:
                "\(endpoint.url.scheme ?? "")://\(endpoint.url.host ?? "")"
                    + (endpoint.url.port.map { ":\($0)" } ?? "") + endpoint.url.path
            case let endpoint as DatabaseEndpoint: "database \(endpoint.database.name)"
            case let endpoint as DiscoveredEndpoint: "peer \(endpoint.name)"
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
