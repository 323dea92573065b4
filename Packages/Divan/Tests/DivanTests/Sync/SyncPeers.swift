import Divan
import Foundation
import Synchronization
import Testing

/// Two databases in memory, with a collection `notes` each.
final class SyncPeers: Sendable {
    let here: Database
    let there: Database

    init() throws {
        here = try Database.inMemory(name: "here")
        there = try Database.inMemory(name: "there")
        _ = try (notes, theirNotes)
    }

    deinit {
        try? here.close()
        try? there.close()
    }

    var notes: DocumentCollection { get throws { try here.collection("notes") } }
    var theirNotes: DocumentCollection { get throws { try there.collection("notes") } }

    /// Starts a listener for `there` on the loopback interface; without TLS unless there is an identity.
    func listen(
        users: Listener.Users = .anyone,
        identity: Identity? = nil,
        isReadOnly: Bool = false,
        access: (@Sendable (Listener.Client) async -> Listener.Access)? = nil,
        options change: (inout Listener.Options) -> Void = { _ in }
    ) async throws -> Listener {
        var options = Listener.Options()
        options.networkInterface = "127.0.0.1"
        options.usesTLS = identity != nil
        change(&options)
        return try await Listener.start(
            sharing: there,
            users: users,
            identity: identity,
            isReadOnly: isReadOnly,
            access: access,
            options: options
        )
    }

    /// A sync of `here` with a listener, which does not retry.
    func sync(
        _ listener: Listener,
        direction: Sync.Direction = .pushAndPull,
        collections: [Sync.Selection]? = nil,
        credentials: Sync.Credentials = .none,
        trust: Sync.Trust = .system,
        resolver: any ConflictResolver = .standard,
        _ change: (inout Sync.Options) -> Void = { _ in }
    ) throws -> Sync {
        var options = Sync.Options()
        options.maxAttempts = 1
        change(&options)
        return Sync(
            here,
            with: try #require(listener.localURL),
            direction: direction,
            collections: collections,
            credentials: credentials,
            trust: trust,
            resolver: resolver,
            options: options
        )
    }

    /// Saves a document on both sides with a value each, so that a sync finds a conflict.
    func makeConflict(_ id: String = "a", _ mine: Document, _ theirs: Document) throws {
        try notes.save(mine)
        try theirNotes.save(theirs)
    }
}

/// Runs a sync that must fail; returns its error.
func failure(
    of sync: Sync,
    sourceLocation: SourceLocation = #_sourceLocation
) async -> DivanError? {
    await #expect(throws: DivanError.self, sourceLocation: sourceLocation) {
        try await sync.run()
    }
}

/// Identities that are made once for all tests, because making a key takes a while.
enum TestIdentities {
    static let selfSigned = Swift.Result { try Identity.selfSigned(named: "jukebox") }
    static let authority = Swift.Result { try Identity.authority(named: "robots", key: .p256) }
    static let otherAuthority = Swift.Result { try Identity.authority(named: "others", key: .p256) }
    static let signed = Swift.Result {
        try authority.get().issue(named: "robot", hosts: ["127.0.0.1", "localhost"], key: .p256)
    }
    static let stranger = Swift.Result {
        try otherAuthority.get().issue(named: "stranger", key: .p256)
    }
}

/// Counts or collects, from any thread.
final class Collected<Element: Sendable>: Sendable {
    private let list = Mutex<[Element]>([])

    var elements: [Element] { list.withLock { $0 } }
    func append(_ element: Element) { list.withLock { $0.append(element) } }
}
