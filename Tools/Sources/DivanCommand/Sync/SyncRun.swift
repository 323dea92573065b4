import Dispatch
import Divan
import DivanJSON
import DivanStore
import Foundation
import Synchronization

/// One run of `push`, `pull` or `sync`: from the words of the command line to its last line.
final class SyncRun: Sendable {
    private struct State {
        var tally = SyncTally()
        var last: Replicator.Status?
        var activity: Replicator.ActivityLevel?
    }

    private let path: DatabasePath
    private let database: Database
    private let replicator: Replicator
    private let direction: ReplicatorType
    private let resetsCheckpoint: Bool
    private let reportFile: String?
    private let terminal: Terminal
    private let progress: ProgressLine
    private let events: EventLine
    private let state = Mutex(State())
    // Serial, so that events come in order; the main queue waits for the end.
    private let queue = DispatchQueue(label: "divan.sync")

    init(_ arguments: Arguments, direction: ReplicatorType, _ terminal: Terminal) throws {
        let target = try URLEndpoint(validating: arguments.operands[1])
        let credentials = try Credentials.read(arguments, terminal)
        path = arguments.database
        database = try path.openDatabase()
        let progress = ProgressLine(terminal, verb: direction.participle)
        let events = EventLine(terminal, progress: progress)
        var config = try SyncConfiguration.make(arguments, direction, target, database, events)
        if let credentials {
            config.authenticator = BasicAuthenticator(
                username: credentials.user,
                password: credentials.password
            )
            if target.url.scheme?.lowercased() == "ws" {
                terminal.warn("with ws:// the password travels in clear text; use wss://")
            }
        }
        replicator = Replicator(config: config)
        resetsCheckpoint = arguments.has("--reset")
        reportFile = arguments.value("--report")
        self.direction = direction
        self.terminal = terminal
        self.progress = progress
        self.events = events
    }

    /// Replicates until it is done, or until Ctrl-C.
    func run() throws {
        let blobsBefore = try blobCount()
        let interruption = Interruption()
        let stopped = DispatchSemaphore(value: 0)
        replicator.addDocumentReplicationListener(withQueue: queue) { [self] in take($0) }
        replicator.addChangeListener(withQueue: queue) { [self] change in
            take(change.status)
            if change.status.activity == .stopped { stopped.signal() }
        }
        interruption.onRequest { [replicator] in replicator.stop() }
        replicator.start(reset: resetsCheckpoint)
        stopped.wait()
        progress.finish()
        var tally = state.withLock { $0.tally }
        tally.seconds = progress.elapsed.inSeconds
        tally.blobCount = max(0, try blobCount() - blobsBefore)
        tally.byteCount = replicator.statistics.byteCount
        tally.compression = replicator.statistics.compression
        let error = state.withLock { $0.last?.error }
        try database.close()
        try finish(tally, error, wasInterrupted: interruption.isRequested)
    }

    private func finish(
        _ tally: SyncTally,
        _ error: (any Error)?,
        wasInterrupted: Bool
    ) throws {
        if let reportFile {
            try tally.json.canonicalText.write(
                toFile: reportFile,
                atomically: true,
                encoding: .utf8
            )
        }
        events.write("finished", tally.json.object ?? [:], sentence: nil)
        let hasNews = error == nil || tally.documentCount > 0
        if !terminal.isJSON, hasNews { terminal.result(tally.sentence(direction)) }
        if let error, !wasInterrupted {
            var failure = Failure(explaining: error)
            if tally.documentCount > 0 {
                failure.sentence +=
                    "; \(Numbers.count(tally.documentCount, "document")) came "
                    + "through and are saved, the next run goes on from there"
            }
            throw failure
        }
        if tally.errorCount > 0 {
            throw Failure(
                kind: .partly,
                sentence: "\(Numbers.count(tally.errorCount, "document")) could not be passed on; "
                    + "the lines above say why"
            )
        }
        if wasInterrupted {
            throw Failure(
                kind: .interrupted,
                sentence: "stopped by Ctrl-C; what came through is saved, "
                    + "the next run goes on from there"
            )
        }
    }

    private func blobCount() throws -> Int {
        let store = try path.open(forWriting: true)
        defer { try? store.close() }
        return try store.blobs.usage().count
    }
}

// MARK: - Events

extension SyncRun {
    private func take(_ status: Replicator.Status) {
        let isNews = state.withLock { state in
            state.last = status
            defer { state.activity = status.activity }
            return state.activity != status.activity
        }
        show(status)
        guard isNews else { return }
        var members: JSONObject = ["activity": .string(status.activity.name)]
        var sentence: String?
        if let error = status.error {
            let text = (error as NSError).localizedDescription
            members["error"] = .string(text)
            members["code"] = JSON((error as NSError).code)
            if status.activity == .offline { sentence = "Offline, will try again: \(text)" }
        }
        if status.activity == .idle { sentence = "Level with the peer; waiting for changes" }
        events.write("status", members, sentence: sentence)
    }

    private func show(_ status: Replicator.Status) {
        guard status.activity == .busy else { return }
        let figures = replicator.statistics
        var reading = ProgressLine.Reading()
        reading.documents = state.withLock { $0.tally.documentCount }
        reading.total = figures.expectedDocumentCount
        reading.bytes = figures.byteCount
        progress.show(reading)
    }

    private func take(_ replication: DocumentReplication) {
        state.withLock { state in
            for document in replication.documents {
                state.tally.add(document, isPush: replication.isPush)
            }
        }
        for document in replication.documents {
            let place = "\(document.scope).\(document.collection)"
            var members: JSONObject = [
                "id": .string(document.id), "collection": .string(place),
                "direction": .string(replication.isPush ? "push" : "pull"),
                "deleted": .bool(document.flags.contains(.deleted)),
            ]
            var sentence: String?
            if let error = document.error {
                let text = (error as NSError).localizedDescription
                members["error"] = .string(text)
                sentence = "\(place)/\(document.id): \(text)"
            }
            events.write("document", members, sentence: sentence)
        }
        show(replicator.status)
    }
}

extension Replicator.ActivityLevel {
    var name: String {
        switch self {
        case .stopped: "stopped"
        case .offline: "offline"
        case .connecting: "connecting"
        case .idle: "idle"
        case .busy: "busy"
        }
    }
}

extension ReplicatorType {
    var participle: String {
        switch self {
        case .push: "pushed"
        case .pull: "pulled"
        case .pushAndPull: "synced"
        }
    }
}
