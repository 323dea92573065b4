import CouchbaseLiteSwift
import Dispatch
import DivanCommandLine
import DivanJSON
import DivanLog
import DivanProbe
import Foundation
import Synchronization

/// One run of `push`, `pull` or `sync`.
final class SyncRun: Sendable {
    private struct State {
        var tally = SyncTally()
        var last: Replicator.Status?
        var activity: Replicator.ActivityLevel?
        /// What prevents an idle replicator from being in sync.
        var idleError: String?
        /// Whether it was up to date once: the peer has all collections.
        var wasLevel = false
        /// Documents that could not be synced in earlier runs, and were not tried yet in this one.
        var refusedEarlier: Set<RefusedDocumentKey> = []
        /// The last error that prevented progress; not reported after a stop.
        var obstacle: (any Error)?
    }

    private let database: Database
    private let namedAnew: CreatedCollections
    private let replicator: Replicator
    private let reporter: SyncReporter
    private let holder: Holder?
    private let direction: ReplicatorType
    private let leftOut = SkippedDocuments()
    private let leavesConflicts: Bool
    private let resetsCheckpoint: Bool
    private let retriesRefused: Bool
    private let reportFile: String?
    private let target: URLEndpoint
    private let path: DatabasePath
    private let terminal: Terminal
    private let progress: ProgressLine
    private let events: EventLine
    private let state = Mutex(State())
    // Serial, so that events come in order; the main queue waits for the end.
    private let queue = DispatchQueue(label: "divan.sync")

    /// Runs once; if the empty default collection does not exist on the peer, as on servers with named collections
    /// only, runs again without it.
    static func run(
        _ arguments: Arguments,
        direction: ReplicatorType,
        _ terminal: Terminal
    ) throws {
        try DatabasePath.refuse(asPeer: arguments.operands[1])
        try LogChoice.apply(arguments)
        let choice = try CollectionChoice(arguments, direction, terminal)
        if choice.isList { return try choice.list() }
        let arguments = try choice.settled()
        do {
            try SyncRun(arguments, direction: direction, terminal).run()
            if let hint = choice.hint {
                terminal.note(hint.prefix(1).uppercased() + hint.dropFirst())
            }
        } catch let failure as Failure
            where failure.code == CBLError.httpNotFound && !arguments.has("--collections")
            && failure.sentence.contains("\(CollectionName.default)")
        {
            let named = try arguments.database.collectionsBesideEmptyDefault()
            guard !named.isEmpty else {
                var failure = failure
                if let hint = choice.hint { failure.hint = hint }
                throw failure
            }
            terminal.note("The peer has no default collection; skipping the empty local one")
            let fewer = arguments.setting("--collections", to: named.map(\.description))
            try SyncRun(fewer, direction: direction, terminal).run()
        }
    }

    init(_ arguments: Arguments, direction: ReplicatorType, _ terminal: Terminal) throws {
        target = try URLEndpoint(validating: arguments.operands[1])
        path = arguments.database
        database = try Self.open(path, fullSync: arguments.has("--full-sync"))
        holder = Holder(path, as: "divan \(direction.verb)")
        progress = ProgressLine(terminal, verb: direction.participle)
        events = EventLine(terminal, progress: progress)
        let conflicts = ConflictReport(events)
        let configuration = SyncConfiguration(
            arguments: arguments,
            direction: direction,
            target: target,
            terminal: terminal
        )
        let names = direction == .push ? [] : try arguments.collections()
        namedAnew = try CreatedCollections(making: names, in: database)
        do {
            replicator = Replicator(
                config: try configuration.make(database, conflicts, leftOut)
            )
        } catch {
            namedAnew.withdraw(from: database)
            throw error
        }
        reporter = SyncReporter(replicator, path: path, conflicts: conflicts)
        leavesConflicts = try ConflictChoice.read(arguments) == .leave
        resetsCheckpoint = arguments.has("--reset")
        retriesRefused = arguments.has("--retry-refused")
        reportFile = arguments.value("--report")
        self.direction = direction
        self.terminal = terminal
    }

    /// Opens the database; if it is served, the hint suggests to sync with that server.
    private static func open(_ path: DatabasePath, fullSync: Bool) throws -> Database {
        do {
            return try path.openDatabase(fullSync: fullSync)
        } catch let failure as Failure
            where failure.code == CBLError.busy && HolderName.isServer(path.bundle)
        {
            var failure = failure
            failure.hint =
                "stop the server, or have the peer connect to it (one program can do both: "
                + "Docs/guides/beyond-one-machine.md)"
            throw failure
        }
    }

    /// Replicates until it is done or interrupted.
    func run() throws {
        let blobsBefore = try database.blobUsage().count
        let refusedBefore = try RefusedDocumentKey.all(of: replicator)
        state.withLock { $0.refusedEarlier = refusedBefore }
        let interruption = Interruption()
        let stopped = DispatchSemaphore(value: 0)
        replicator.addDocumentReplicationListener(withQueue: queue) { [self] in take($0) }
        replicator.addChangeListener(withQueue: queue) { [self] change in
            take(change.status)
            if change.status.activity == .stopped { stopped.signal() }
        }
        interruption.onRequest { [replicator] in replicator.stop() }
        replicator.start(reset: resetsCheckpoint, retryingRefused: retriesRefused)
        let ticks = DispatchSource.makeTimerSource(queue: queue)
        ticks.schedule(deadline: .now(), repeating: .milliseconds(500))
        ticks.setEventHandler { [self] in tick() }
        ticks.resume()
        stopped.wait()
        ticks.cancel()
        queue.sync {}  // no tick writes after this
        reporter.end()
        progress.finish()
        var tally = state.withLock { $0.tally }
        tally.seconds = progress.elapsed.inSeconds
        tally.blobCount = max(0, try database.blobUsage().count - blobsBefore)
        tally.byteCount = replicator.statistics.byteCount
        tally.compression = replicator.statistics.compression
        tally.count(
            try RefusedDocumentKey.all(of: replicator),
            earlier: state.withLock { $0.refusedEarlier }
        )
        let error = state.withLock { $0.last?.error }
        holder?.stop()
        let isInVain = isInVain(error, interruption)
        if isInVain { namedAnew.withdraw(from: database) }
        try database.close()
        try finish(tally, error, interruption, isInVain: isInVain)
    }

    /// Whether it ended before completing the work of a single run.
    private func isInVain(_ error: (any Error)?, _ interruption: Interruption) -> Bool {
        (error != nil || interruption.isRequested) && !state.withLock { $0.wasLevel }
    }

    private func finish(
        _ tally: SyncTally,
        _ error: (any Error)?,
        _ interruption: Interruption,
        isInVain: Bool
    ) throws {
        if let reportFile {
            try OutputFile.write(Array(tally.json.canonicalText.utf8), to: reportFile)
        }
        events.write("finished", tally.json.object ?? [:], sentence: nil)
        let hasNews = error == nil || tally.documentCount > 0
        if !terminal.isJSON, hasNews { terminal.result(tally.sentence(direction)) }
        let earlierCount = tally.refusedEarlierCount + tally.notPulledEarlierCount
        if error == nil, tally.counts.errors == 0, earlierCount > 0 {
            terminal.note("hint: \(refusedHint); add '--retry-refused' to try them again")
        }
        if let error, !interruption.isRequested {
            var failure = Failure(explaining: error)
            if let hint = trustHint(error) ?? schemeHint(error) { failure.hint = hint }
            if tally.documentCount > 0 {
                failure.sentence +=
                    "; \(Numbers.count(tally.documentCount, "document")) were synced "
                    + "before; the next run continues from there"
            }
            throw failure
        }
        if let failure = partialFailure(tally) { throw failure }
        // A continuous run ends only when it is stopped, so that is not a failure.
        guard interruption.isRequested else { return }
        var sentence = "stopped by \(interruption.cause)"
        if isInVain, let obstacle = state.withLock({ $0.obstacle }) {
            sentence += " before it was up to date; last error: "
            sentence += Failure(explaining: obstacle).sentence
        }
        sentence += "; the next run continues from there"
        guard replicator.config.continuous, !isInVain else {
            throw Failure(kind: .interrupted, sentence: sentence)
        }
        terminal.note("divan: \(sentence)")
    }

    /// How to inspect a certificate that is not trusted.
    private func trustHint(_ error: any Error) -> String? {
        let code = (error as NSError).code
        guard [CBLError.tlsCertUntrusted, CBLError.tlsCertUnknownRoot].contains(code),
            let host = target.url.host, let port = target.url.port
        else { return nil }
        return "run 'divan certs show \(host):\(port)' to inspect the certificate and to trust it"
    }

    /// The hint if a server responds to ws:// with 400, as Go's servers do if the port requires TLS.
    private func schemeHint(_ error: any Error) -> String? {
        guard (error as NSError).code == CBLError.httpBase + 400,
            target.url.scheme?.lowercased() == "ws", let host = target.url.host,
            let port = target.url.port.flatMap({ UInt16(exactly: $0) }),
            ServerProbe.speaksTLS(host: host, port: port)
        else { return nil }
        return "the server uses TLS; write wss:// instead of ws://"
    }

    private var refusedHint: String {
        "run 'divan pending \(path.word) \(target.url.absoluteString.wordForShell)' to list the "
            + "documents that could not be synced"
    }

    private func partialFailure(_ tally: SyncTally) -> Failure? {
        if tally.counts.errors > 0 {
            return Failure(
                kind: .partly,
                sentence: "\(Numbers.count(tally.counts.errors, "document")) could not be synced "
                    + "(see the errors above)",
                hint: tally.refusedCount + tally.notPulledCount > 0 ? refusedHint : nil
            )
        }
        guard tally.leftOpenCount > 0 else { return nil }
        return Failure(
            kind: .partly,
            sentence: "\(Numbers.count(tally.leftOpenCount, "conflict")) left unresolved",
            hint: "run 'divan conflicts ls \(path.word)' to list them, resolve them, and sync again"
        )
    }
}

// MARK: - Events

extension SyncRun {
    private func take(_ status: Replicator.Status) {
        let isNews = state.withLock { state in
            state.last = status
            if status.activity == .idle { state.wasLevel = true }
            if let error = status.obstacle { state.obstacle = error }
            // An idle replicator has an error if it cannot push, and that may be noticed later.
            let text = status.activity == .idle ? status.obstacle?.localizedDescription : nil
            defer { (state.activity, state.idleError) = (status.activity, text) }
            return state.activity != status.activity || text != nil && text != state.idleError
        }
        show(status)
        guard isNews else { return }
        tick()
        var members: JSONObject = ["activity": .string(status.activity.name)]
        var sentence: String?
        if let error = status.obstacle {
            let text = (error as NSError).localizedDescription
            members.note(error as NSError)
            if status.activity == .offline { sentence = "Offline, \(retry(status)): \(text)" }
        }
        if let date = status.retryDate { members["retryAt"] = .string(Days.exactly(date)) }
        if status.activity == .idle {
            let state = status.obstacle.map { "Not in sync: \($0.localizedDescription)" }
            sentence = "\(state ?? "In sync with the peer"); waiting for changes"
        }
        events.write("status", members, sentence: sentence)
    }

    private func retry(_ status: Replicator.Status) -> String {
        guard let seconds = status.retryDate?.timeIntervalSinceNow else { return "retrying" }
        return "retrying in \(Numbers.seconds(max(0, seconds.rounded())))"
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
        for document in replication.documents {
            take(document, isPush: replication.isPush)
        }
        show(replicator.status)
    }

    private func take(_ document: ReplicatedDocument, isPush: Bool) {
        let name = CollectionName(scope: document.scope, name: document.collection)
        let place = name?.description
        let error = document.error.map { $0 as NSError }
        if leavesConflicts, !isPush, error?.code == CBLError.conflict {
            return leave(document, in: place.orEmpty)
        }
        if !isPush, error != nil, leftOut.take(document) {
            return state.withLock { $0.tally.leftOutCount += 1 }
        }
        state.withLock { state in
            state.tally.add(document, in: place.orEmpty, isPush: isPush)
            guard error != nil, let name else { return }
            state.refusedEarlier.remove(
                RefusedDocumentKey(collection: name, id: document.id, isPush: isPush)
            )
        }
        let redaction = LogSinks.redaction
        let sentence = error.map { error in
            "\(place.orEmpty)/\(redaction.user(document.id)): "
                + redaction.user(error.localizedDescription)
        }
        events.write(
            "document",
            members(of: document, in: place.orEmpty, isPush: isPush),
            sentence: sentence
        )
    }

    private func members(
        of document: ReplicatedDocument,
        in place: String,
        isPush: Bool
    ) -> JSONObject {
        var members: JSONObject = [
            "id": .string(LogSinks.redaction.user(document.id)), "collection": .string(place),
            "direction": .string(isPush ? "push" : "pull"),
            "deleted": .bool(document.flags.contains(.deleted)),
            "accessRemoved": .bool(document.flags.contains(.accessRemoved)),
        ]
        if let error = document.error as NSError? { members.note(error) }
        return members
    }

    private func leave(_ document: ReplicatedDocument, in place: String) {
        state.withLock { $0.tally.leftOpenCount += 1 }
        let id = LogSinks.redaction.user(document.id)
        events.write(
            "conflict",
            ["id": .string(id), "collection": .string(place), "kept": "both"],
            sentence: "Conflict in \(id): left unresolved"
        )
    }

    /// Publishes the progress, and reports it to machines.
    private func tick() {
        let (status, tally) = state.withLock { ($0.last ?? replicator.status, $0.tally) }
        guard let reading = reporter.publish(status, tally) else { return }
        events.write("progress", reading)
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
    /// The name of the command.
    var verb: String {
        switch self {
        case .push: "push"
        case .pull: "pull"
        case .pushAndPull: "sync"
        }
    }

    var participle: String {
        switch self {
        case .push: "pushed"
        case .pull: "pulled"
        case .pushAndPull: "synced"
        }
    }
}

extension JSONObject {
    /// Adds an error; the domain is added if it is not the API's, because the code depends on it.
    fileprivate mutating func note(_ error: NSError) {
        self["error"] = .string(LogSinks.redaction.user(error.localizedDescription))
        self["code"] = JSON(error.code)
        if error.domain != CBLError.domain { self["domain"] = .string(error.domain) }
    }
}
