import Divan
import DivanJSON

/// The replicator that the words of a command line describe.
enum SyncConfiguration {
    static func make(
        _ arguments: Arguments,
        _ direction: ReplicatorType,
        _ target: URLEndpoint,
        _ database: Database,
        _ events: EventLine
    ) throws -> ReplicatorConfiguration {
        let collections = try database.collections(
            named: try arguments.collections(),
            creating: direction != .push
        )
        let entries = collections.map { collection in
            var entry = CollectionConfiguration(collection: collection)
            entry.conflictResolver = ReportingResolver(events: events)
            if arguments.has("--channels") { entry.channels = arguments.list("--channels") }
            if arguments.has("--documents") { entry.documentIDs = arguments.list("--documents") }
            return entry
        }
        var config = ReplicatorConfiguration(collections: entries, target: target)
        config.replicatorType = direction
        config.continuous = arguments.has("--continuous")
        config.acceptOnlySelfSignedServerCertificate = arguments.has("--accept-self-signed")
        if let file = arguments.value("--pin") {
            config.pinnedServerCertificate = try IdentityFile.readCertificate(file)
        }
        if let attempts: UInt = try arguments.number("--attempts", in: 1...1_000_000) {
            config.maxAttempts = attempts
        } else if !config.continuous {
            config.maxAttempts = 1
        }
        if let compression = try CompressionChoice.read(arguments) {
            config.compression = compression
        }
        if arguments.has("--header") { config.headers = try headers(arguments) }
        return config
    }

    private static func headers(_ arguments: Arguments) throws -> [String: String] {
        var headers: [String: String] = [:]
        for text in arguments.values("--header") {
            let parts = text.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { throw Failure.usage("--header takes NAME: VALUE") }
            headers[String(parts[0])] = String(parts[1].drop { $0 == " " })
        }
        return headers
    }
}

/// The default rule, which also tells what it decided.
struct ReportingResolver: ConflictResolverProtocol, Sendable {
    let events: EventLine

    func resolve(conflict: Conflict) -> Document? {
        let document = ConflictResolver.default.resolve(conflict: conflict)
        let kept: String
        if document == nil {
            kept = "deleted"
        } else {
            kept = document === conflict.localDocument ? "local" : "remote"
        }
        events.write(
            "conflict",
            ["id": .string(conflict.documentID), "kept": .string(kept)],
            sentence: "Conflict in \(conflict.documentID): kept the \(kept) side"
        )
        return document
    }
}
