@_spi(Modern) internal import CouchbaseLiteSwift
internal import Foundation

/// What a sync was created with.
struct SyncSettings: Sendable {
    let database: Database
    let target: Sync.Target
    let direction: Sync.Direction
    let selections: [Sync.Selection]?
    let credentials: Sync.Credentials
    let trust: Sync.Trust
    let resolver: any ConflictResolver
    let options: Sync.Options

    /// For errors.
    var place: String { "sync with \(target)" }

    /// The selections in force: those given, or all collections that exist now.
    func currentSelections() throws -> [Sync.Selection] {
        let chosen = try selections ?? database.collections.map { Sync.Selection($0) }
        try database.requireOwn(chosen.map(\.collection), place: place)
        for selection in chosen where selection.subscription != nil {
            throw DivanError(
                .invalidArgument,
                place: place,
                problem:
                    "collection \(selection.collection.name) has a subscription, which only a mesh supports",
                remedy: "use channels or a filter"
            )
        }
        return chosen
    }

    /// The configuration of the engine.
    func configuration(
        of selections: [Sync.Selection],
        isContinuous: Bool,
        bridge: CallbackBridge
    ) throws -> ReplicatorConfiguration {
        var configuration = ReplicatorConfiguration(
            collections: try selections.map {
                try $0.configuration(standard: resolver, bridge: bridge)
            },
            target: try target.endpoint()
        )
        configuration.replicatorType =
            switch direction {
            case .pushAndPull: .pushAndPull
            case .push: .push
            case .pull: .pull
            }
        configuration.continuous = isContinuous
        configuration.authenticator = credentials.authenticator
        trust.apply(to: &configuration)
        options.apply(to: &configuration)
        return configuration
    }
}
