import CouchbaseLiteSwift
import Dispatch
import DivanTestKit
import Foundation
import Synchronization

/// Two databases in their own directory, with the operations that replication tests need.
///
/// `here` is the active side, `there` the passive one.
final class Peers: Sendable {
    let here: Database
    let there: Database
    private let directory: TemporaryDirectory

    init(_ change: (inout DatabaseConfiguration) -> Void = { _ in }) throws {
        TestIdentities.use()
        directory = try TemporaryDirectory()
        var configuration = DatabaseConfiguration.in(directory)
        change(&configuration)
        here = try Database(name: "here", config: configuration)
        there = try Database(name: "there", config: configuration)
    }

    deinit {
        try? here.close()
        try? there.close()
    }

    /// A configuration for the default collections, or those given, with the other database as the target.
    func configuration(
        _ type: ReplicatorType = .pushAndPull,
        target: (any Endpoint)? = nil,
        collections: [Collection]? = nil,
        _ change: (inout CollectionConfiguration) -> Void = { _ in }
    ) throws -> ReplicatorConfiguration {
        let chosen = try collections ?? [here.defaultCollection()]
        let entries = chosen.map { collection in
            var entry = CollectionConfiguration(collection: collection)
            change(&entry)
            return entry
        }
        var configuration = ReplicatorConfiguration(
            collections: entries,
            target: target ?? DatabaseEndpoint(database: there)
        )
        configuration.replicatorType = type
        return configuration
    }

    /// A listener for a test's own connections, for the default collection of `there`.
    func messageListener(
        _ type: ProtocolType = .messageStream
    ) throws -> MessageEndpointListener {
        MessageEndpointListener(
            config: MessageEndpointListenerConfiguration(
                collections: [try there.defaultCollection()],
                protocolType: type
            )
        )
    }

    /// Starts a listener on the loopback interface for the default collection of `there`.
    func listen(
        collections: [Collection]? = nil,
        _ change: (inout URLEndpointListenerConfiguration) throws -> Void = { _ in }
    ) throws -> URLEndpointListener {
        var configuration = URLEndpointListenerConfiguration(
            collections: try collections ?? [there.defaultCollection()]
        )
        configuration.networkInterface = "127.0.0.1"
        try change(&configuration)
        let listener = URLEndpointListener(config: configuration)
        try listener.start()
        return listener
    }

    /// Saves document `a`, 2,000 letters of text, on one side and syncs it to the other, through a listener that allows
    /// deltas.
    ///
    /// The listener keeps running; the replicator may run again.
    func syncLongDocument(
        from source: Database
    ) async throws -> (listener: URLEndpointListener, replicator: Replicator) {
        let document = MutableDocument(id: "a")
        document.setString(String(repeating: "text ", count: 400), forKey: "text")
        try source.defaultCollection().save(document: document)
        let listener = try listen {
            $0.disableTLS = true
            $0.enableDeltaSync = true
        }
        let replicator = Replicator(config: try configuration(target: listener.endpoint()))
        try await replicator.run()
        return (listener, replicator)
    }
}

/// The identities of tests are in a directory of the test run, never in the user's.
enum TestIdentities {
    private static let directory = try? TemporaryDirectory()

    static func use() {
        guard let directory else { return }
        TLSIdentity.storeDirectory = directory.file("identities")
    }
}

extension URLEndpointListener {
    /// The endpoint for a client on this machine.
    func endpoint(database: String = "there") throws -> URLEndpoint {
        let scheme = config.disableTLS ? "ws" : "wss"
        return try URLEndpoint(validating: "\(scheme)://127.0.0.1:\(port ?? 0)/\(database)")
    }
}

extension Collection {
    /// Saves a new document with one property.
    func put(_ id: String, _ value: Int) throws {
        let document = try self.document(id: id)?.toMutable() ?? MutableDocument(id: id)
        document.setInt(value, forKey: "value")
        try save(document: document)
    }

    /// The property of a document saved by `put`; `nil` when there is no such document.
    func value(_ id: String) throws -> Int? {
        try document(id: id)?.int(forKey: "value")
    }

    /// Waits until `condition` holds, checking it after each change to the collection.
    func wait(until condition: @Sendable () throws -> Bool) async throws {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
        let token = addChangeListener(queue: DispatchQueue(label: "test")) { _ in
            continuation.yield()
        }
        defer { token.remove() }
        continuation.yield()
        for await _ in changes where try condition() { return }
    }
}

extension Replicator {
    /// Runs to the end, and returns every status on the way.
    func statuses() async -> [Status] {
        let changes = statusStream
        start()
        var statuses: [Status] = []
        for await status in changes { statuses.append(status) }
        return statuses
    }

    /// Runs to the end, and returns the code of the error that ended the run; 0 for none.
    func finalCode() async -> Int {
        let last = await statuses().last
        return (last?.error as NSError?)?.code ?? 0
    }

    /// Starts, and waits until the replicator reports `activity`.
    func start(until activity: ActivityLevel) async -> Status? {
        let changes = statusStream
        start()
        for await status in changes where status.activity == activity { return status }
        return nil
    }
}

/// Collects what listeners receive, from any thread.
final class Heard<Element: Sendable>: Sendable {
    private let list = Mutex<[Element]>([])

    var elements: [Element] { list.withLock { $0 } }

    func append(_ element: Element) {
        list.withLock { $0.append(element) }
    }
}
