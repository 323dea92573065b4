import CouchbaseLiteSwift
import Foundation
import Testing

/// `CouchbaseLiteSwift.metrics` is one page for the whole process.
@Suite(.timeLimit(.minutes(5))) struct MetricsTests {
    /// The value of the line that begins with `name` and contains all of `labels`.
    private func value(_ name: String, _ labels: String..., of text: String) -> Double? {
        text.split(separator: "\n")
            .first { line in line.hasPrefix(name + "{") && labels.allSatisfy { line.contains($0) } }
            .flatMap { $0.split(separator: " ").last.flatMap { Double($0) } }
    }

    @Test func `replicators and listeners are still counted after they are released`() async throws
    {
        let name = "metrics-\(UUID().uuidString)"
        let (here, there) = (try Database.inMemory(name: name), try Database.inMemory(name: name))
        try here.defaultCollection().put("soup", 1)
        var settings = URLEndpointListenerConfiguration(
            collections: [try there.defaultCollection()]
        )
        settings.networkInterface = "127.0.0.1"
        settings.disableTLS = true
        let listener = URLEndpointListener(config: settings)
        try listener.start()
        defer { listener.stop() }
        let database = "database=\"\(name)\""

        func sync() async throws {
            let target = try URLEndpoint(
                validating: "ws://127.0.0.1:\(listener.port ?? 0)/\(name)"
            )
            let entry = CollectionConfiguration(collection: try here.defaultCollection())
            var configuration = ReplicatorConfiguration(collections: [entry], target: target)
            configuration.replicatorType = .push
            let replicator = Replicator(config: configuration)
            try await replicator.run()
            let text = CouchbaseLiteSwift.metrics.text
            #expect(value("divan_replicator_activity", database, "\"stopped\"", of: text) == 1)
            #expect(value("divan_replicator_errors", database, of: text) == 0)
        }
        try await sync()
        var text = CouchbaseLiteSwift.metrics.text
        let pushed = "divan_replicator_pushed_documents_total"
        #expect(value(pushed, database, "type=\"push\"", of: text) == 1)
        #expect(value("divan_received_documents_total", database, of: text) == 1)
        #expect(value("divan_connections_total", database, of: text) == 1)

        try here.defaultCollection().put("tea", 1)
        try await sync()
        text = CouchbaseLiteSwift.metrics.text
        #expect(
            value(pushed, database, of: text) == 2,
            "counters of replicators that are gone stay"
        )
    }

    @Test func `every line is a comment or a sample, and no sample is repeated`() async throws {
        let name = "odd \"name\"\n\\"
        let databases = try (0..<3).map { _ in try Database.inMemory(name: name) }
        let replicators = try databases.map { database in
            let entry = CollectionConfiguration(collection: try database.defaultCollection())
            let target = URLEndpoint(url: try #require(URL(string: "ws://127.0.0.1:1/db")))
            return Replicator(config: ReplicatorConfiguration(collections: [entry], target: target))
        }
        let lines = CouchbaseLiteSwift.metrics.text.split(separator: "\n")
        let samples = lines.filter { !$0.hasPrefix("#") }
        let form =
            /divan_[a-z_]+(\{[a-z]+="([^"\\\n]|\\["\\n])*"(,[a-z]+="([^"\\\n]|\\["\\n])*")*\})? -?[0-9.e+]+/
        for line in samples { #expect(line.wholeMatch(of: form) != nil, "\(line)") }
        let names = samples.map { $0[..<($0.lastIndex(of: " ") ?? $0.endIndex)] }
        #expect(Set(names).count == names.count)
        #expect(
            samples.contains { $0.contains(#"database="odd \"name\"\n\\""#) && $0.hasSuffix(" 3") }
        )
        withExtendedLifetime(replicators) {}
    }
}
