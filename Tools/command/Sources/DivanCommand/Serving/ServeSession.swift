@_spi(Status) import CouchbaseLiteSwift
import DivanCommandLine
import DivanDiscovery
import DivanJSON
import DivanPlatform
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
    private let entries: [ReplicationEntry]
    private let readingFile: () throws -> ServeFile
    private let gate: PeerAccess
    private let identity: TLSIdentity?
    private let auditSettings: ServeAudit.Settings?
    private var audit: ServeAudit?
    private var served: [ServedDatabase] = []
    private var replications: [ServedReplication] = []
    private var activities: [any DiscoveryActivity] = []
    private var metrics: MetricsServer?
    private var rest: RESTListener?
    private var watcher: AccessWatcher?
    private var certificates = CertificateWatch()
    /// The output while it runs.
    private var view: ServeView?

    /// Reads what the options name, without opening anything.
    ///
    /// `readingFile` reads the options again, for a reload.
    init(
        _ arguments: Arguments,
        _ entries: [ReplicationEntry],
        _ terminal: Terminal,
        readingFile: @escaping () throws -> ServeFile
    ) throws {
        self.readingFile = readingFile
        self.arguments = arguments
        self.entries = entries
        self.terminal = terminal
        let events = EventLine(terminal, isTimed: true)
        self.events = events
        gate = try PeerAccess(arguments, terminal) { problem in
            events.write("problem", ["text": .string(problem)], sentence: problem)
        }
        try arguments.onlyOption(of: ["--identity", "--no-tls"])
        identity = try arguments.value("--identity").map {
            try StoredIdentities.identity($0, terminal)
        }
        auditSettings = try ServeAudit.Settings(arguments, terminal)
        try checkDatabases()
    }

    /// Checks the options that depend on how many databases there are.
    private func checkDatabases() throws {
        let databases = arguments.operands
        let _: UInt16? = try arguments.number("--metrics-port", in: 0...65_535)
        let port: UInt16 = try arguments.number("--port", in: 0...65_535) ?? 0
        if port > 0, let text = databases.dropFirst(65_536 - Int(port)).first {
            throw Failure.usage(
                "'--port \(port)' leaves no port for \(text)",
                hint: "each database needs its own port; start with a lower one"
            )
        }
        let hasOwnCertificates = identity == nil && !arguments.has("--no-tls")
        if arguments.has("--write-certificate"), hasOwnCertificates, databases.count > 1 {
            throw Failure.usage(
                "'--write-certificate' writes one certificate, but each database has its own",
                hint: "add '--identity' to share a certificate, or serve only one database"
            )
        }
    }

    /// Opens everything; after an error, the caller closes what was opened.
    func open() throws {
        let port: UInt16 = try arguments.number("--port", in: 0...65_535) ?? 0
        routeErrors()
        audit = try auditSettings.map { try ServeAudit($0) }
        audit?.start(arguments.operands.map { DatabasePath($0).name })
        // Listeners share the collections that these create.
        for entry in entries { replications.append(try ServedReplication(entry, terminal)) }
        for (index, text) in arguments.operands.enumerated() {
            let own = port == 0 ? 0 : port + UInt16(index)
            let (arrivals, refusals) = (arrivals, refusals)
            let database = try ServedDatabase(
                DatabasePath(text),
                port: own,
                arguments: arguments,
                gate: gate,
                identity: identity,
                onClient: { arrivals.add($1, at: $0) },
                onRefusal: { refusals.add($1, at: $0) },
                audit: audit
            )
            served.append(database)
            try database.start()
            try writeCertificate(database)
        }
        try openREST()
        try openMetrics()
        watcher = AccessWatcher(gate, dropOutdated)
        for database in served { announce(database) }
        reportHead()
        if let warning = OpenListenerWarning.warning(arguments, gate) {
            events.write("problem", ["text": .string(warning)])
            terminal.warn(warning)
        }
        advertise()
        terminal.note("Press Ctrl-C to stop.")
    }

    /// Reports errors of the library as events, unless the log, which contains them, is shown.
    private func routeErrors() {
        LogSinks.custom =
            LogSinks.console == nil
            ? CustomLogSink(level: .error, logSink: recentErrors) : nil
    }

    /// Reports events until interrupted.
    ///
    /// Reads the users and certificates again at each `reload`.
    func watch(until interruption: Interruption, reloadingAt reload: ReloadSignal) {
        let wake = TimedSignal()
        interruption.onRequest { wake.signal() }
        reload.onRequest { wake.signal() }
        view = ServeView(terminal, events, served)
        var crowds = (
            peers: EvictionReporter(isOverHTTP: false), web: EvictionReporter(isOverHTTP: true)
        )
        repeat {
            if reload.take() { readAgain() }
            lookAtCertificates()
            lookAtAudit()
            for replication in replications {
                replication.look()
                for news in replication.takeNews() {
                    report(news.event, news.members, news.sentence)
                }
            }
            takeEvents()
            let peers = served.reduce(0) { $0 + $1.listener.statistics.displacedConnectionCount }
            let reports = [
                crowds.peers.report(of: peers),
                crowds.web.report(of: rest?.displacedConnectionCount ?? 0),
            ]
            view?.take(reports.compactMap { $0 })
            view?.look()
            wake.wait(for: .milliseconds(500))
        } while !interruption.isRequested
        takeEvents()
        view?.end()
        view = nil
    }

    private func takeEvents() {
        view?.take(arrivals.take())
        let refused = refusals.take()
        view?.take(refused.entries)
        audit?.add(refused.entries, omittedCount: refused.omittedCount)
        view?.take(recentErrors.take())
    }

    /// Reports an event, below the table of a terminal.
    private func report(_ event: String, _ members: JSONObject, _ sentence: String) {
        if view != nil {
            view?.printEvent(event, members, sentence)
        } else {
            events.write(event, members, sentence: sentence)
        }
    }

    /// Reports the code of the audit log's last entry, which the operator can verify later.
    private func reportHead() {
        guard let head = audit?.head else { return }
        report("audit", head.members, head.sentence)
    }

    /// Writes the entries of the audit log to the disk, and reports problems with it.
    private func lookAtAudit() {
        guard let audit else { return }
        if let problem = audit.sync() { report(problem: problem) }
        if audit.isReportDue() { reportHead() }
    }

    private func report(problem text: String) { report("problem", ["text": .string(text)], text) }

    /// Closes what was opened before something failed.
    func abandon() {
        watcher?.stop()
        metrics?.stop()
        rest?.stop()
        for replication in replications { replication.stop() }
        for database in served { database.stop(forRestart: false) }
        audit?.stop()
    }

    /// Stops everything, and reports how much was transferred.
    func stop(forRestart: Bool) {
        watcher?.stop()
        for activity in activities { activity.stop() }
        metrics?.stop()
        rest?.stop()
        for replication in replications { replication.stop() }
        // Polled before the end: a stopped listener has no figures.
        let readings = served.map { $0.look() }
        for database in served { database.stop(forRestart: forRestart) }
        // Now all connections have ended.
        stopAudit()
        for (database, reading) in zip(served, readings) { sayGoodbye(database.path.name, reading) }
    }

    private func stopAudit() {
        guard let audit else { return }
        let refused = refusals.take()
        audit.add(refused.entries, omittedCount: refused.omittedCount)
        audit.stop()
        if let problem = audit.sync() { report(problem: problem) }
        reportHead()
    }

    private func writeCertificate(_ database: ServedDatabase) throws {
        guard let file = arguments.value("--write-certificate") else { return }
        guard let certificate = database.certificate else {
            return terminal.warn("--write-certificate has no effect without TLS")
        }
        try OutputFile.write(Array(certificate.pem.utf8), to: file)
    }

    /// Closes the connections of clients whose rights have changed.
    private var dropOutdated: @Sendable () -> Void {
        let (served, rest) = (served, rest)
        return {
            for database in served { database.dropOutdated() }
            rest?.dropOutdated()
        }
    }

    /// Reads the users, roles, named queries and certificates again; those that cannot be read stay unchanged.
    private func readAgain() {
        var names: [String] = []
        func note(_ name: String, _ body: () throws -> Bool) {
            do {
                if try body() { names.append(name) }
            } catch {
                let problem = Failure(explaining: error)
                report(problem: "reload incomplete: \(problem.line)")
            }
        }
        note("configuration file") { try reloadFile() }
        // The users and the keys report their own problems.
        note("users") {
            gate.users?.refresh()
            return gate.users?.isReadable == true
        }
        note("token keys") {
            gate.tokens?.refreshKeys()
            return gate.tokens != nil
        }
        note("roles") { try gate.tokens?.reloadRoles() == true }
        note("named queries") { try rest?.reloadQueries() == true }
        note("audit log") { try audit?.reopen() == true }
        note("certificates") {
            try reloadCertificates()
            return served.contains { $0.certificate != nil }
        }
        dropOutdated()
        report(
            "reloaded",
            ["reloaded": .array(names.map { .string($0) })],
            "Reloaded \(names.isEmpty ? "nothing" : names.formatted(.list(type: .and)))"
        )
    }

    /// Applies the log settings in the file of `--config`, and reports which other options have changed; false without
    /// a file.
    private func reloadFile() throws -> Bool {
        guard let path = arguments.value("--config"), path != "-" else { return false }
        let file = try readingFile()
        try LogChoice.apply(file.arguments)
        routeErrors()
        let changed = file.changes(since: arguments, entries)
        if !changed.isEmpty {
            let names = changed.map { "\"\($0)\"" }.formatted(.list(type: .and))
            report(problem: "\(path): changes of \(names) take effect after a restart")
        }
        return true
    }

    /// Renews the certificates that it made, and warns about those that the operator must renew.
    private func lookAtCertificates() {
        let now = Date()
        let validities = served.compactMap { database in
            database.certificate.map {
                CertificateWatch.Validity(
                    database: database.path.name,
                    start: $0.notBefore,
                    end: $0.notAfter
                )
            }
        }
        if identity == nil {
            if certificates.isRenewalDue(validities, at: now) { renewCertificates(at: now) }
        } else {
            for warning in certificates.warnings(validities, at: now) { report(problem: warning) }
        }
    }

    /// Renews the certificates that are due; what else a reload reads stays unchanged.
    private func renewCertificates(at now: Date) {
        var isRenewed = false
        for database in served {
            guard let old = database.certificate,
                CertificateWatch.isRenewalDue(end: old.notAfter, at: now)
            else { continue }
            do {
                let listenerGate = try database.replace(identity: nil, gate)
                if database === served.first { rest?.replace(listenerGate, dismissesAll: false) }
                guard let new = database.certificate, new != old else {
                    throw Failure(kind: .failed, sentence: "it cannot be stored")
                }
                isRenewed = true
                do {
                    try writeCertificate(database)
                } catch {
                    report(problem: Failure(explaining: error).line)
                }
                reportRenewal(of: database.path.name, new)
            } catch {
                let problem = Failure(explaining: error)
                report(
                    problem: "the certificate of \(database.path.name), which expires on "
                        + "\(Days.text(old.notAfter)): \(problem.line); trying again in an hour"
                )
            }
        }
        if isRenewed { advertiseAgain() }
    }

    private func reportRenewal(of name: String, _ certificate: SecCertificate) {
        report(
            "renewed",
            [
                "database": .string(name),
                "certificateEnds": .string(Days.moment(certificate.notAfter)),
                "fingerprint": .string(certificate.sha256Fingerprint),
            ],
            "Renewed the certificate of \(name), valid until "
                + "\(Days.text(certificate.notAfter)); pins of Divan's peers hold"
        )
    }

    private func reloadCertificates() throws {
        let before = served.map { $0.certificate?.sha256Fingerprint }
        let identity = try arguments.value("--identity").map {
            try StoredIdentities.identity($0, terminal)
        }
        let hasOtherClients = try gate.certificates?.reload() ?? false
        let gates = try served.map { try $0.replace(identity: identity, gate) }
        if let own = gates.first { rest?.replace(own, dismissesAll: hasOtherClients) }
        guard served.map({ $0.certificate?.sha256Fingerprint }) != before else { return }
        for database in served { try writeCertificate(database) }
        advertiseAgain()
    }

    private func advertiseAgain() {
        for activity in activities { activity.stop() }
        activities = []
        advertise()
    }

    private func openMetrics() throws {
        guard let port: UInt16 = try arguments.number("--metrics-port", in: 0...65_535) else {
            return
        }
        let metrics = ServeMetrics(
            served: served,
            replications: replications,
            rest: rest,
            refusals: refusals,
            begin: Date()
        )
        self.metrics = try MetricsServer(port: port) { path in
            switch path {
            case "/metrics": metrics.response
            case "/_health": HealthReport(metrics.served, since: metrics.begin).response
            default: nil
            }
        }
    }

    private func openREST() throws {
        guard let port = try RESTListener.port(arguments) else { return }
        rest = try RESTListener(
            served,
            port: port,
            arguments: arguments,
            gate: gate,
            refusals: refusals,
            audit: audit
        )
    }

    private func announce(_ database: ServedDatabase) {
        let (name, urls) = (database.path.name, database.urls)
        var members: JSONObject = [
            "database": .string(name), "port": JSON(database.listener.port ?? 0),
            "urls": .array(urls.map { .string($0) }),
        ]
        var lines = ["Serving \(name) at \(urls.joined(separator: ", "))"]
        if let certificate = database.certificate {
            members["fingerprint"] = .string(certificate.sha256Fingerprint)
            members["certificateEnds"] = .string(Days.moment(certificate.notAfter))
            lines[0] += ", certificate \(certificate.sha256Fingerprint)"
            lines.append("The certificate expires on \(Days.text(certificate.notAfter))")
        }
        if let metrics {
            let url = "http://127.0.0.1:\(metrics.port)/metrics"
            members["metrics"] = .string(url)
            if database === served.last { lines.append("Metrics at \(url)") }
        }
        if let rest {
            members["rest"] = .string(rest.url)
            if database === served.last { lines.append("REST interface at \(rest.url)") }
        }
        events.write("listening", members)
        // Without the time, because scripts read the address from the first line; so is the last line.
        for line in lines { terminal.note(line.escapingControlCharacters()) }
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
            ]
        )
        let sentence =
            "Stopped \(name): sent \(Numbers.count(figures.sentDocumentCount, "document")), "
            + "received \(Numbers.count(figures.receivedDocumentCount, "document"))"
        terminal.note(sentence.escapingControlCharacters())
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
