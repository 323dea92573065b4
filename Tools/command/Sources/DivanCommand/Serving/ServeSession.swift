@_spi(Status) import CouchbaseLiteSwift
import Dispatch
import DivanCommandLine
import DivanDiscovery
import DivanJSON
import Foundation
import Synchronization

/// Everything that a `divan serve` runs: databases with their listeners, the metrics, the view.
final class ServeSession {
    private let arguments: Arguments
    private let terminal: Terminal
    private let events: EventLine
    private let arrivals = RecentConnections()
    private let refusals = Refusals()
    private let recentErrors = RecentErrors()
    private let gate: PeerAccess
    private let identity: TLSIdentity?
    private var served: [ServedDatabase] = []
    private var activities: [any DiscoveryActivity] = []
    private var metrics: MetricsServer?
    private var rest: RESTListener?
    private var follower: UserRightsWatcher?

    init(_ arguments: Arguments, _ terminal: Terminal) throws {
        self.arguments = arguments
        self.terminal = terminal
        let events = EventLine(terminal)
        self.events = events
        gate = try PeerAccess(arguments, terminal) { problem in
            events.write("problem", ["text": .string(problem)], sentence: problem)
        }
        try arguments.onlyOption(of: ["--identity", "--no-tls"])
        identity = try arguments.value("--identity").map {
            try StoredIdentities.identity($0, terminal)
        }
    }

    /// Opens everything; after an error, the caller closes what was opened.
    func open() throws {
        let port: UInt16 = try arguments.number("--port", in: 0...65_535) ?? 0
        // If the log is shown, errors are in it already.
        if LogSinks.console == nil {
            LogSinks.custom = CustomLogSink(level: .error, logSink: recentErrors)
        }
        for (index, text) in arguments.operands.enumerated() {
            let number = port == 0 ? 0 : Int(port) + index
            guard let own = UInt16(exactly: number) else {
                throw Failure.usage(
                    "'--port \(port)' leaves no port for \(text)",
                    hint: "each database needs its own port; start with a lower one"
                )
            }
            let (arrivals, refusals) = (arrivals, refusals)
            let database = try ServedDatabase(
                DatabasePath(text),
                port: own,
                arguments: arguments,
                gate: gate,
                identity: identity,
                onClient: { arrivals.add($1, at: $0) },
                onRefusal: { refusals.add($1, at: $0) }
            )
            served.append(database)
            try database.start()
            try writeCertificate(database)
        }
        try openREST()
        try openMetrics()
        followUsers()
        for database in served { announce(database) }
        if let warning = OpenListenerWarning.warning(arguments, gate) {
            events.write("problem", ["text": .string(warning)])
            terminal.warn(warning)
        }
        advertise()
        terminal.note("Press Ctrl-C to stop.")
    }

    /// Reports events until interrupted.
    ///
    /// Reads the users and certificates again at each `reload`.
    func watch(until interruption: Interruption, reloadingAt reload: ReloadSignal) {
        let wake = DispatchSemaphore(value: 0)
        interruption.onRequest { wake.signal() }
        reload.onRequest { wake.signal() }
        var view = ServeView(terminal, events, served)
        var crowds = (
            peers: EvictionReporter(isOverHTTP: false), web: EvictionReporter(isOverHTTP: true)
        )
        repeat {
            if reload.take() { readAgain() }
            view.take(arrivals.take())
            view.take(refusals.take())
            view.take(recentErrors.take())
            let peers = served.reduce(0) { $0 + $1.listener.statistics.displacedConnectionCount }
            let reports = [
                crowds.peers.report(of: peers),
                crowds.web.report(of: rest?.displacedConnectionCount ?? 0),
            ]
            view.take(reports.compactMap { $0 })
            view.look()
            _ = wake.wait(timeout: .now() + .milliseconds(500))
        } while !interruption.isRequested
        view.take(arrivals.take())
        view.take(refusals.take())
        view.take(recentErrors.take())
        view.end()
    }

    /// Closes what was opened before something failed.
    func abandon() {
        follower?.stop()
        gate.tokens?.stop()
        metrics?.stop()
        rest?.stop()
        for database in served { database.stop(forRestart: false) }
    }

    /// Stops everything, and reports how much was transferred.
    func stop(forRestart: Bool) {
        follower?.stop()
        gate.tokens?.stop()
        for activity in activities { activity.stop() }
        metrics?.stop()
        rest?.stop()
        for database in served {
            // Polled before the end: a stopped listener has no figures.
            let reading = database.look()
            database.stop(forRestart: forRestart)
            sayGoodbye(database.path.name, reading)
        }
    }

    private func writeCertificate(_ database: ServedDatabase) throws {
        guard let file = arguments.value("--write-certificate") else { return }
        guard identity != nil || arguments.operands.count == 1 || database.certificate == nil else {
            throw Failure.usage(
                "'--write-certificate' writes one certificate, but each database has its own",
                hint: "add '--identity' to share a certificate, or serve only one database"
            )
        }
        guard let certificate = database.certificate else {
            return terminal.warn("--write-certificate has no effect without TLS")
        }
        try OutputFile.write(Array(certificate.pem.utf8), to: file)
    }

    /// Ends connections as soon as their users' rights change.
    private func followUsers() {
        let (served, rest) = (served, rest)
        let dropOutdated = { @Sendable in
            for database in served { database.dropOutdated() }
            rest?.dropOutdated()
        }
        gate.tokens?.start(dropOutdated)
        if let users = gate.users { follower = UserRightsWatcher(users, dropOutdated) }
    }

    /// Reads the users, roles, named queries and certificates again; those that cannot be read stay unchanged.
    private func readAgain() {
        gate.users?.refresh()
        gate.tokens?.refreshKeys()
        reportingIncompleteReload { try gate.tokens?.reloadRoles() }
        reportingIncompleteReload { try rest?.reloadQueries() }
        dropOutdated()
        reportingIncompleteReload { try reloadCertificates() }
    }

    private func dropOutdated() {
        for database in served { database.dropOutdated() }
        rest?.dropOutdated()
    }

    private func reloadCertificates() throws {
        let before = served.map { $0.certificate?.sha256Fingerprint }
        let identity = try arguments.value("--identity").map {
            try StoredIdentities.identity($0, terminal)
        }
        let hasOtherClients = try gate.certificates?.reload() ?? false
        let gates = try served.map { try $0.replace(identity: identity, gate) }
        if let own = gates.first { rest?.replace(own, dismissesAll: hasOtherClients) }
        dropOutdated()
        // The file of users was reported when it was read.
        let names = gate.users?.isReadable ?? true ? "users and certificates" : "certificates"
        events.write("reloaded", sentence: "Reloaded \(names)")
        guard served.map({ $0.certificate?.sha256Fingerprint }) != before else { return }
        for database in served { try writeCertificate(database) }
        for activity in activities { activity.stop() }
        activities = []
        advertise()
    }

    private func reportingIncompleteReload(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            let problem = (error as? Failure) ?? Failure(explaining: error)
            let text = "reload incomplete: \(problem.line)"
            events.write("problem", ["text": .string(text)], sentence: text)
        }
    }

    private func openMetrics() throws {
        guard let port: UInt16 = try arguments.number("--metrics-port", in: 0...65_535) else {
            return
        }
        let (served, refusals, rest) = (served, refusals, rest)
        let begin = Date()
        metrics = try MetricsServer(port: port) { path in
            switch path {
            case "/metrics":
                MetricsPage(since: begin, refusals, displaced: rest?.displacedConnectionCount)
                    .response
            case "/_health": HealthReport(served, since: begin).response
            default: nil
            }
        }
    }

    private func openREST() throws {
        guard let port: UInt16 = try arguments.number("--rest", in: 0...65_535) else {
            let options = ["--rest-origin", "--rest-host", "--rest-queries", "--rest-named-only"]
            for option in options where arguments.has(option) {
                throw Failure.usage("'\(option)' requires '--rest PORT'")
            }
            return
        }
        rest = try RESTListener(
            served,
            port: port,
            arguments: arguments,
            gate: gate,
            refusals: refusals
        )
    }

    private func announce(_ database: ServedDatabase) {
        let (name, urls) = (database.path.name, database.urls)
        var members: JSONObject = [
            "database": .string(name), "port": JSON(database.listener.port ?? 0),
            "urls": .array(urls.map { .string($0) }),
        ]
        var sentence = "Serving \(name) at \(urls.joined(separator: ", "))"
        if let certificate = database.certificate {
            members["fingerprint"] = .string(certificate.sha256Fingerprint)
            members["certificateEnds"] = .string(Days.moment(certificate.notAfter))
            sentence += ", certificate \(certificate.sha256Fingerprint)"
            sentence += "\nThe certificate expires on \(Days.text(certificate.notAfter))"
        }
        if let metrics {
            members["metrics"] = .string("http://127.0.0.1:\(metrics.port)/metrics")
            if database === served.last {
                sentence += "\nMetrics at http://127.0.0.1:\(metrics.port)/metrics"
            }
        }
        if let rest {
            members["rest"] = .string(rest.url)
            if database === served.last { sentence += "\nREST interface at \(rest.url)" }
        }
        events.write("listening", members)
        for line in sentence.split(separator: "\n") where !terminal.isJSON {
            terminal.note(String(line).escapingControlCharacters())
        }
    }

    /// Without Avahi, serving continues: peers that have the address need no discovery.
    private func advertise() {
        guard let name = arguments.value("--advertise") else { return }
        for database in served {
            let own = served.count == 1 ? name : "\(name) \(database.path.name)"
            do {
                let activity = try database.advertise(as: own) { [events] event in
                    switch event {
                    case .registered(let name):
                        let members: JSONObject = ["name": .string(name)]
                        events.write("advertised", members, sentence: "Advertised as \(name)")
                    case .failed(let error):
                        events.write("problem", ["text": .string("\(error)")], sentence: "\(error)")
                    }
                }
                activities.append(activity)
            } catch {
                events.write("problem", ["text": .string("\(error)")])
                terminal.warn("not advertised: \(error)")
            }
        }
    }

    private func sayGoodbye(_ name: String, _ reading: ListenerReport.Reading) {
        let figures = reading.figures
        events.write(
            "stopped",
            [
                "database": .string(name),
                "documentsReceived": JSON(figures.receivedDocumentCount),
                "documentsSent": JSON(figures.sentDocumentCount),
                "bytesReceived": JSON(figures.receivedByteCount),
                "bytesSent": JSON(figures.sentByteCount),
                "connections": .object(
                    JSONObject(
                        figures.connectionCountByCompression.sorted { $0.key < $1.key }
                            .map { (key: $0.key, value: JSON($0.value)) }
                    )
                ),
            ],
            sentence: "Stopped \(name): sent "
                + "\(Numbers.count(figures.sentDocumentCount, "document")), received "
                + Numbers.count(figures.receivedDocumentCount, "document")
        )
    }
}

/// Peers that connected since the last poll; filled from the threads of listeners.
final class RecentConnections: Sendable {
    /// Maximum number reported between two polls; the others are only counted.
    private static let limit = 1000

    private let waiting = Mutex<[(path: DatabasePath, client: PeerName)]>([])

    func add(_ client: ListenerClient, at path: DatabasePath) {
        waiting.withLock { waiting in
            if waiting.count < Self.limit { waiting.append((path, PeerName(client))) }
        }
    }

    /// Returns the new peers.
    func take() -> [(path: DatabasePath, client: PeerName)] {
        waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}
