import CouchbaseLiteSwift
import DivanCommandLine
import Foundation

/// The replicator that a command line describes.
struct SyncConfiguration {
    let arguments: Arguments
    let direction: ReplicatorType
    let target: URLEndpoint
    let terminal: Terminal

    func make(
        _ database: Database,
        _ conflicts: ConflictReport,
        _ leftOut: SkippedDocuments
    ) throws -> ReplicatorConfiguration {
        let collections = try database.collections(named: try arguments.collections())
        let names = collections.map(\.qualifiedName)
        let choice = try ConflictChoice.read(arguments)
        let channels = ScopedOption("--channels", arguments, names)
        let documents = ScopedOption("--documents", arguments, names)
        let pushFilter = ScopedOption("--push-filter", arguments, names)
        let pullFilter = ScopedOption("--pull-filter", arguments, names)
        let conditions = ScopedOption("--where", arguments, names)
        let entries = try collections.map { collection in
            let name = collection.qualifiedName
            let wanted = try conditions.texts(for: name).map {
                try CouchbaseLiteSwift.Collection.filter(where: $0)
            }
            var entry = CollectionConfiguration(collection: collection)
            entry.conflictResolver = choice.resolver(for: name, conflicts)
            // A run with another filter compares all documents again.
            let filters = [("where", conditions), ("push", pushFilter), ("pull", pullFilter)]
                .flatMap { kind, option in option.texts(for: name).map { "\(kind) \($0)" } }
            entry.filterName = filters.isEmpty ? nil : filters.joined(separator: "\n")
            entry.channels = channels.list(for: name)
            entry.documentIDs = documents.list(for: name)
            let pushed = try DocumentTest.filter(pushFilter.texts(for: name))
            let pulled = try DocumentTest.filter(pullFilter.texts(for: name))
            entry.pushFilter = Self.all(wanted + [pushed].compactMap(\.self))
            entry.pullFilter = leftOut.noting(
                Self.all(wanted + [pulled].compactMap(\.self)),
                of: name
            )
            return entry
        }
        var config = ReplicatorConfiguration(collections: entries, target: target)
        config.replicatorType = direction
        config.enableAutoPurge = !arguments.has("--no-auto-purge")
        if direction != .push, let blobs = try BlobChoice.read(arguments) { config.blobs = blobs }
        try describeWay(&config)
        try describeServer(&config)
        return config
    }

    /// A filter that accepts what all of these accept; `nil` if there are none.
    private static func all(_ filters: [ReplicationFilter]) -> ReplicationFilter? {
        guard !filters.isEmpty else { return nil }
        return { document, flags in filters.allSatisfy { $0(document, flags) } }
    }

    /// One run over all collections, with only the connection options of the command line.
    func plain(_ database: Database) throws -> ReplicatorConfiguration {
        let entries = try database.collections(named: []).map { collection in
            CollectionConfiguration(collection: collection)
        }
        var config = ReplicatorConfiguration(collections: entries, target: target)
        config.replicatorType = direction
        config.maxAttempts = 1
        try describeServer(&config)
        return config
    }

    private func describeWay(_ config: inout ReplicatorConfiguration) throws {
        config.continuous = arguments.has("--continuous")
        if let attempts: UInt = try arguments.number("--attempts", in: 1...1_000_000) {
            config.maxAttempts = attempts
        } else if !config.continuous {
            config.maxAttempts = 1
        }
        if let seconds: Int = try arguments.number("--max-wait", in: 1...86_400) {
            config.maxAttemptWaitTime = Double(seconds)
        }
        if let seconds: Int = try arguments.number("--heartbeat", in: 2...86_400) {
            config.heartbeat = Double(seconds)
        }
        if let compression = try CompressionChoice.read(arguments) {
            config.compression = compression
        }
    }

    private func describeServer(_ config: inout ReplicatorConfiguration) throws {
        config.pinnedServerCertificate = try ServerTrustOptions.pin(arguments)
        config.trustedRootCertificates = try ServerTrustOptions.roots(arguments)
        config.acceptOnlySelfSignedServerCertificate = arguments.has("--accept-self-signed")
        config.acceptParentDomainCookie = arguments.has("--parent-cookies")
        config.networkInterface = arguments.value("--interface")
        config.resumesTLSSessions = !arguments.has("--no-resumption")
        config.proxy = try ServerTrustOptions.proxy(arguments)
        if arguments.has("--header") { config.headers = try ServerTrustOptions.headers(arguments) }
        config.authenticator = try ServerTrustOptions.credentials(
            arguments,
            isSecure: target.url.scheme?.lowercased() != "ws",
            terminal
        )?.authenticator
    }
}

/// An option that applies to all collections, or, as `scope.name:TEXT`, to one.
struct ScopedOption {
    private var shared: [String] = []
    private var own: [CollectionName: [String]] = [:]

    /// No values for any collection.
    init() {}

    /// Sorts the values of an option; a prefix that names none of these collections is plain text.
    init(_ option: String, _ arguments: Arguments, _ collections: [CollectionName]) {
        for text in arguments.values(option) {
            let colon = text.firstIndex(of: ":")
            let name = colon.flatMap { CollectionName(String(text[..<$0])) }
            if let colon, let name, text[..<colon].contains("."), collections.contains(name) {
                own[name, default: []].append(String(text[text.index(after: colon)...]))
            } else {
                shared.append(text)
            }
        }
    }

    /// The texts that apply to a collection.
    func texts(for name: CollectionName) -> [String] { shared + (own[name] ?? []) }

    /// The comma-separated items that apply to a collection; `nil` if the option was not given.
    func list(for name: CollectionName) -> [String]? {
        let texts = texts(for: name)
        guard !texts.isEmpty else { return nil }
        return texts.flatMap { $0.listItems }
    }
}
