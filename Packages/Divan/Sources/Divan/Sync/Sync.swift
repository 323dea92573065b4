public import Foundation

/// Syncs collections of a database with a peer: a listener, Sync Gateway, or another database of this process.
///
/// ```swift
/// let sync = Sync(
///     db,
///     with: "wss://sync.example.com/shop",
///     credentials: .password("anna", secret)
/// )
/// let summary = try await sync.run()                      // once
/// for await status in sync.start() { print(status) }      // continuously
/// ```
///
/// Creating it does nothing and cannot fail: errors in its settings are thrown by `run(retryingRefused:reset:)`, or
/// are in the status. One run takes place at a time. A running sync continues without references to it until `stop()`
/// is called, or its database is closed. Can be used from any thread.
public final class Sync: Sendable {
    /// The direction of the documents.
    public enum Direction: Sendable {
        /// Both directions; use this rather than two syncs.
        case pushAndPull
        /// From this database to the peer.
        case push
        /// From the peer to this database.
        case pull
    }

    let engine: SyncEngine

    /// Syncs with any target.
    ///
    /// - Parameters:
    ///   - database: The database on this side.
    ///   - target: The peer; a literal is a URL, `wss://host:port/database`.
    ///   - direction: The direction of the documents.
    ///   - collections: The collections, with their channels and filters; `nil` means all collections that the database
    ///     has when a run begins, which the peer must have too.
    ///   - credentials: How this side authenticates.
    ///   - trust: Which certificates of the peer are accepted.
    ///   - resolver: Resolves conflicts, unless a selection has its own resolver.
    ///   - options: Everything else.
    public init(
        _ database: Database,
        with target: Target,
        direction: Direction = .pushAndPull,
        collections: [Selection]? = nil,
        credentials: Credentials = .none,
        trust: Trust = .system,
        resolver: any ConflictResolver = .standard,
        options: Options = Options()
    ) {
        engine = SyncEngine(
            SyncSettings(
                database: database,
                target: target,
                direction: direction,
                selections: collections,
                credentials: credentials,
                trust: trust,
                resolver: resolver,
                options: options
            )
        )
    }

    /// Syncs with the peer at a URL given as a string, such as `wss://sync.example.com/shop`.
    ///
    /// This initializer does not fail: with an invalid URL, or one that begins with neither `wss://` nor `ws://`, a run
    /// throws ``DivanError/Code/invalidArgument``. The parameters are those of
    /// ``init(_:with:direction:collections:credentials:trust:resolver:options:)``.
    public convenience init(
        _ database: Database,
        with url: String,
        direction: Direction = .pushAndPull,
        collections: [Selection]? = nil,
        credentials: Credentials = .none,
        trust: Trust = .system,
        resolver: any ConflictResolver = .standard,
        options: Options = Options()
    ) {
        self.init(
            database,
            with: .url(url),
            direction: direction,
            collections: collections,
            credentials: credentials,
            trust: trust,
            resolver: resolver,
            options: options
        )
    }

    /// Syncs with the peer at a URL, such as `listener.urls[0]`.
    ///
    /// The parameters are those of ``init(_:with:direction:collections:credentials:trust:resolver:options:)``.
    public convenience init(
        _ database: Database,
        with url: URL,
        direction: Direction = .pushAndPull,
        collections: [Selection]? = nil,
        credentials: Credentials = .none,
        trust: Trust = .system,
        resolver: any ConflictResolver = .standard,
        options: Options = Options()
    ) {
        self.init(
            database,
            with: .url(url),
            direction: direction,
            collections: collections,
            credentials: credentials,
            trust: trust,
            resolver: resolver,
            options: options
        )
    }

    /// Syncs with another database of this process, without a network.
    ///
    /// The parameters are those of `init(_:with:direction:collections:credentials:trust:resolver:options:)`.
    public convenience init(
        _ database: Database,
        with other: Database,
        direction: Direction = .pushAndPull,
        collections: [Selection]? = nil,
        resolver: any ConflictResolver = .standard,
        options: Options = Options()
    ) {
        self.init(
            database,
            with: .database(other),
            direction: direction,
            collections: collections,
            resolver: resolver,
            options: options
        )
    }
}

// MARK: - Running

extension Sync {
    /// Syncs once: returns when both sides are in sync.
    ///
    /// If another such run is in progress, this one begins after it. Temporary network errors are retried as
    /// ``Options/maxAttempts`` says. Cancelling the task stops the run, and the call returns when it has stopped.
    ///
    /// - Parameters:
    ///   - retryingRefused: Whether to repeat the documents that the peer refused, and that could not be pulled; see
    ///     `refused(in:)`.
    ///   - reset: Whether to compare all documents again, instead of the changes since the last run.
    /// - Returns: What the run has transferred, and the documents that failed.
    /// - Throws: The error that ended the run, ``DivanError/Code/cancelled`` after a cancellation, and
    ///   ``DivanError/Code/busy`` while it runs continuously. A single document that fails does not end the run.
    @discardableResult
    public func run(
        retryingRefused: Bool = false,
        reset: Bool = false
    ) async throws -> Summary {
        let request = SyncEngine.Request(retryingRefused: retryingRefused, reset: reset)
        if Task.isCancelled { throw engine.cancellation }
        let end = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                engine.runOnce(request) { continuation.resume(returning: $0) }
            }
        } onCancel: {
            engine.cancel(request)
        }
        if Task.isCancelled { throw engine.cancellation }
        return try end.get()
    }

    /// Syncs once, and blocks the thread meanwhile; see the `async` form.
    ///
    /// Do not call it inside a transaction or on the main thread of an app.
    @discardableResult
    public func run(
        retryingRefused: Bool = false,
        reset: Bool = false
    ) throws -> Summary {
        let request = SyncEngine.Request(retryingRefused: retryingRefused, reset: reset)
        return try engine.runOnceBlocking(request)
    }

    /// Syncs continuously until it is stopped: stays connected, and transfers each change as it happens.
    ///
    /// The sync runs whether or not the sequence is read. Lost connections are retried indefinitely. Does nothing but
    /// return a sequence if it is already running. Cancelling the task of a loop over the sequence stops the sync, and
    /// the loop ends when it has stopped; leaving the loop with `break` does not stop it.
    ///
    /// - Returns: The status changes of the run; the last one has the activity `stopped`.
    @discardableResult
    public func start(retryingRefused: Bool = false, reset: Bool = false) -> Run {
        let run = Run(engine)
        engine.runContinuously(
            SyncEngine.Request(retryingRefused: retryingRefused, reset: reset)
        )
        return run
    }

    /// Stops the sync, and returns when it has stopped; does nothing if it is not running.
    ///
    /// Called from a resolver or another callback of a sync, it does not wait.
    public func stop() async {
        await engine.stopAndWait()
    }

    /// Stops the sync in the background; does nothing if it is not running.
    public func stop() {
        engine.stop()
    }

    /// The current status.
    public var status: Status { engine.status }

    /// The current status, then each change, over all runs; for displays.
    ///
    /// Reading it does not start the sync, and leaving the loop does not stop it. Ends when the sync is released.
    public var statuses: Updates<Status, Never> {
        engine.statuses.updates { [engine] in [engine.status] }
    }

    /// The documents that are transferred, or fail, from the beginning of the loop until the end of the run.
    ///
    /// To get all documents of a run, call `makeAsyncIterator()` before it begins.
    public var documents: Updates<ReplicatedDocument, Never> {
        engine.documents.updates(bufferLimit: 10_000)
    }

    /// The traffic since the sync was created.
    public var statistics: Statistics { engine.statistics }

    /// The peer's certificate, also if it was not accepted; `nil` before the first connection, and without TLS.
    public var peerCertificate: Certificate? { engine.peerCertificate }

    /// The ID of the latest connection in the logs of both sides; `nil` before the first one.
    public var connectionID: String? { engine.connectionID }

    /// The status changes of a continuous run; see ``Sync/start(retryingRefused:reset:)``.
    public struct Run: AsyncSequence, Sendable {
        private let engine: SyncEngine
        private let stream: AsyncStream<Status>

        fileprivate init(_ engine: SyncEngine) {
            self.engine = engine
            stream = engine.statusesOfRun()
        }

        /// Returns an iterator; use only one at a time.
        public func makeAsyncIterator() -> Iterator {
            Iterator(engine: engine, source: stream.makeAsyncIterator())
        }

        /// Iterates over the status changes of a run.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let engine: SyncEngine
            fileprivate var source: AsyncStream<Status>.Iterator

            /// Returns the next status; `nil` after the run has ended.
            public mutating func next() async -> Status? {
                await next(isolation: #isolation)
            }

            /// Returns the next status; `nil` after the run has ended.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(Never) -> Status? {
                if let status = await source.next(isolation: actor) { return status }
                // A cancelled task ends its streams at once, but the sync only after a while.
                if Task.isCancelled { await engine.stopAndWait() }
                return nil
            }
        }
    }
}

extension Sync: CustomStringConvertible {
    /// The database, the target and the activity.
    public var description: String {
        "sync of \(engine.settings.database.name) with \(engine.settings.target), \(status.activity)"
    }
}
