import CouchbaseLiteSwift
import Dispatch
import DivanCommandLine
import DivanJSON
import DivanLog
import Foundation
import Synchronization

/// A continuous sync that a server runs beside its listeners.
///
/// The replicator itself reconnects after network errors. Another error, such as a wrong password, ends it. It begins
/// again after a minute, and reads its credentials again, because nobody watches a server.
final class ServedReplication: Sendable {
    private struct State {
        var replicator: Replicator?
        var reporter: SyncReporter?
        var tally = SyncTally()
        var last: (activity: Replicator.ActivityLevel, error: String?)?
        /// When it is begun again; `nil` while it runs.
        var next: ContinuousClock.Instant?
        var isOver = false
        /// Whether the peer has no default collection, and the empty local one is left out.
        var isNarrowed = false
        var news: [News] = []
        /// As last counted; `nil` if it is not known.
        var pendingCount: UInt64?
    }

    /// Until a replication that failed is begun again.
    static let pause = Duration.seconds(60)

    /// An event that was not reported yet.
    struct News: Sendable {
        let event: String
        let members: JSONObject
        let sentence: String
    }

    /// Documents that fail between two polls and are reported; the log has all of them.
    private static let problemLimit = 100

    private let entry: ReplicationEntry
    private let database: Database
    private let holder: Holder?
    private let leftOut = SkippedDocuments()
    private let terminal: Terminal
    private let state = Mutex(State(next: .now))
    // Serial, so that events come in order.
    private let queue = DispatchQueue(label: "divan.replication")

    /// Opens the database; nothing is sent yet.
    init(_ entry: ReplicationEntry, _ terminal: Terminal) throws {
        self.entry = entry
        self.terminal = terminal
        let arguments = entry.arguments
        try arguments.database.requireExisting()
        database = try arguments.database.openDatabase(fullSync: arguments.has("--full-sync"))
        holder = Holder(arguments.database, as: "divan serve")
        guard entry.direction != .push else { return }
        _ = try CreatedCollections(making: try arguments.collections(), in: database)
    }

    /// The documents that are not pushed yet; `nil` if their number is not known.
    var pendingCount: UInt64? { state.withLock { $0.pendingCount } }

    /// Its labels in the metrics; those of the library without the type.
    var labels: [(name: String, value: String)] {
        var target = URLComponents(string: entry.url) ?? URLComponents()
        // Metrics contain no secrets.
        (target.user, target.password, target.query) = (nil, nil, nil)
        return [
            ("database", entry.arguments.database.name), ("target", target.string.orEmpty),
        ]
    }

    /// Begins it, or begins it again, when it is time; publishes its state for other processes.
    func look() {
        queue.sync {
            let isDue = state.withLock { state in
                guard let next = state.next, next <= .now, !state.isOver else { return false }
                state.next = nil
                return true
            }
            if isDue { begin() }
            publish()
        }
    }

    /// Stops it, and closes the database.
    func stop() {
        let replicator = state.withLock { state in
            state.isOver = true
            return state.replicator
        }
        holder?.stop()
        replicator?.stop()
        // Waits for the replicator.
        try? database.close()
        queue.sync { state.withLock { $0.reporter }?.end() }
    }

    private func begin() {
        do {
            let conflicts = ConflictReport()
            let settings = SyncConfiguration(
                arguments: try arguments(),
                direction: entry.direction,
                target: try URLEndpoint(validating: entry.url),
                terminal: terminal
            )
            let replicator = Replicator(
                config: try settings.make(database, conflicts, leftOut)
            )
            let reporter = SyncReporter(
                replicator,
                path: entry.arguments.database,
                conflicts: conflicts
            )
            state.withLock { state in
                state.reporter?.end()
                (state.replicator, state.reporter) = (replicator, reporter)
            }
            replicator.addDocumentReplicationListener(withQueue: queue) { [weak self] in
                self?.take($0)
            }
            replicator.addChangeListener(withQueue: queue) { [weak self] in self?.take($0.status) }
            replicator.start()
        } catch {
            report(.stopped, Failure(explaining: error).sentence)
            retryLater()
        }
    }

    /// The options of the next attempt.
    private func arguments() throws -> Arguments {
        guard state.withLock({ $0.isNarrowed }) else { return entry.arguments }
        let names = try entry.arguments.database.collectionsBesideEmptyDefault()
        return entry.arguments.setting("--collections", to: names.map(\.description))
    }

    private func take(_ replication: DocumentReplication) {
        for document in replication.documents {
            if !replication.isPush, document.error != nil, leftOut.take(document) { continue }
            let name = CollectionName(scope: document.scope, name: document.collection)
            let place = name?.description ?? ""
            state.withLock { $0.tally.add(document, in: place, isPush: replication.isPush) }
            guard let error = document.error else { continue }
            let redaction = LogSinks.redaction
            let text =
                "\(redaction.user(document.id)) could not be synced: "
                + redaction.user(error.localizedDescription)
            let database = entry.arguments.database.name
            note("problem", ["text": .string(text), "database": .string(database)], text)
        }
    }

    private func take(_ status: Replicator.Status) {
        if status.activity == .stopped, lacksDefault(status.error) {
            state.withLock { ($0.isNarrowed, $0.next) = (true, .now) }
            return
        }
        report(status.activity, status.obstacle.map { Failure(explaining: $0).sentence })
        if status.activity == .stopped { retryLater() }
        publish()
    }

    /// Whether the peer does not have the default collection, which is empty here; true once.
    private func lacksDefault(_ error: (any Error)?) -> Bool {
        guard let error = error as NSError?, error.code == CBLError.httpNotFound,
            !entry.arguments.has("--collections"), !state.withLock({ $0.isNarrowed })
        else { return false }
        let names = try? entry.arguments.database.collectionsBesideEmptyDefault()
        return names?.isEmpty == false
    }

    private func retryLater() {
        state.withLock { if !$0.isOver { $0.next = .now + Self.pause } }
    }

    /// Reports an activity or an error that was not reported yet; a busy replication is in sync soon.
    private func report(_ activity: Replicator.ActivityLevel, _ error: String?) {
        guard activity != .busy, activity != .connecting else { return }
        let isNews = state.withLock { state in
            defer { state.last = (activity, error) }
            return state.last.map { $0 != (activity, error) } ?? true
        }
        guard isNews else { return }
        let name = entry.arguments.database.name
        var members: JSONObject = [
            "database": .string(name), "url": .string(entry.url),
            "activity": .string(activity.name),
        ]
        members["error"] = error.map { .string($0) }
        var sentence = "\(name) and \(entry.url): "
        switch (activity, error) {
        case (.idle, nil): sentence += "in sync"
        case (.idle, let error?): sentence += "not in sync: \(error)"
        case (.stopped, let error?):
            sentence += "sync failed: \(error); trying again in \(Self.pause.components.seconds) s"
        case (.stopped, nil): sentence += "sync stopped"
        case (_, let error): sentence += "offline\(error.map { ": \($0)" } ?? "")"
        }
        note("replication", members, sentence)
    }

    private func note(_ event: String, _ members: JSONObject, _ sentence: String) {
        state.withLock { state in
            guard event != "problem" || state.news.count < Self.problemLimit else { return }
            state.news.append(News(event: event, members: members, sentence: sentence))
        }
    }

    /// Returns the events since the last call.
    func takeNews() -> [News] {
        state.withLock { state in
            defer { state.news = [] }
            return state.news
        }
    }

    private func publish() {
        let (replicator, reporter, tally) = state.withLock {
            ($0.replicator, $0.reporter, $0.tally)
        }
        guard let replicator, let reporter else { return }
        guard let reading = reporter.publish(replicator.status, tally) else { return }
        state.withLock { $0.pendingCount = reading["pending"]?.count }
    }
}
