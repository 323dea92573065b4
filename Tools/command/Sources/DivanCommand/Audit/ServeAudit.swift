@_spi(Status) import CouchbaseLiteSwift
import DivanAudit
import DivanCommandLine
import DivanJSON
import DivanPlatform
import DivanREST
import DivanTLS
import Synchronization

/// The audit log of a `divan serve`: who connected, and what they wrote and read.
///
/// Entries come from the threads of listeners; the session calls the other members on its own thread.
final class ServeAudit: Sendable {
    /// What the options name.
    struct Settings {
        let path: String
        let key: AuditKey?
        let includesReads: Bool

        /// Reads the options and the key; `nil` without `--audit`.
        ///
        /// - Throws: `Failure`.
        init?(_ arguments: Arguments, _ terminal: Terminal) throws(Failure) {
            guard let path = arguments.value("--audit") else {
                for option in ["--audit-key-file", "--audit-reads"] where arguments.has(option) {
                    throw .usage("'\(option)' requires '--audit FILE'")
                }
                return nil
            }
            self.path = path
            includesReads = arguments.has("--audit-reads")
            guard let file = arguments.value("--audit-key-file") else {
                key = nil
                return
            }
            key = try AuditKeyFile.read(file, terminal)
        }
    }

    /// Time between two reports of the last code.
    private static let reportPeriod = Duration.seconds(3_600)

    private let log: AuditLog
    private let includesReads: Bool
    private let nextReport = Mutex(ContinuousClock.now + reportPeriod)

    /// Opens the log.
    ///
    /// - Throws: `Failure` if the file cannot be used.
    init(_ settings: Settings) throws(Failure) {
        includesReads = settings.includesReads
        do {
            log = try AuditLog(settings.path, key: settings.key)
        } catch {
            throw Failure(error)
        }
    }

    /// Records that the server serves these databases.
    func start(_ databases: [String]) {
        log.append(
            .start,
            [
                "databases": .array(databases.map { .string($0) }),
                "pid": JSON(Int(CurrentProcess.id)), "version": .string(VersionPage.version),
            ]
        )
        log.sync()
    }

    // MARK: Entries

    /// Records what happens on the connections of a database's listener.
    func observer(of database: DatabasePath) -> ListenerObserver {
        ListenerObserver(observesReads: includesReads) { [log] event in
            let client = event.client
            var members = Self.members(
                of: client.address,
                user: client.user,
                fingerprint: client.certificates.first?.sha256Fingerprint
            )
            members["port"] = JSON(client.port)
            members["connection"] = JSON(event.connectionID)
            members["database"] = .string(database.name)
            switch event.kind {
            case .connected: log.append(.connect, members)
            case .documents(let written, let read):
                log.append(.write, written, members)
                log.append(.read, read, members)
            case .disconnected(let writtenCount, let readCount):
                members["written"] = JSON(writtenCount)
                members["read"] = JSON(readCount)
                log.append(.disconnect, members)
            }
        }
    }

    /// Records a request of the REST interface.
    var onAnswer: @Sendable (RESTAnswer) -> Void {
        { [log, includesReads] answer in
            guard answer.isWriting || includesReads else { return }
            let client = answer.client
            var members = Self.members(
                of: client.address,
                user: client.user,
                fingerprint: client.certificates.first?.sha256Fingerprint
            )
            members["method"] = .string(answer.method)
            members["path"] = .string(answer.path)
            members["status"] = JSON(answer.status)
            log.append(.request, members)
        }
    }

    /// Who a client is.
    private static func members(
        of address: String,
        user: String?,
        fingerprint: String?
    ) -> JSONObject {
        var members: JSONObject = ["address": .string(address)]
        members["user"] = user.map { .string($0) }
        members["certificate"] = fingerprint.map { .string($0) }
        return members
    }

    /// Records refused requests and logins, and the number of those that are not listed.
    func add(_ refusals: [Refusals.Entry], omittedCount: UInt64) {
        for refusal in refusals {
            var members = refusal.json
            members["last"] = .string(Moment.text(refusal.moment))
            log.append(.refuse, members)
        }
        if omittedCount > 0 { log.append(.refuse, ["omitted": JSON(omittedCount)]) }
    }

    // MARK: The file

    /// The last line, and the number of lost entries that the log does not record, as an event.
    var head: (members: JSONObject, sentence: String) {
        let (position, lostCount) = (log.position, log.lostCount)
        var members: JSONObject = [
            "file": .string(log.path), "head": .string(position.code.description),
            "number": JSON(position.number),
        ]
        var sentence =
            "Audit log \(log.path): entry \(position.number) has the code \(position.code)"
        if lostCount > 0 {
            members["lost"] = JSON(lostCount)
            sentence += "; \(Numbers.grouped(lostCount)) later entries were lost"
        }
        return (members, sentence)
    }

    /// Whether the last line is to be reported again; true once an hour.
    func isReportDue() -> Bool {
        nextReport.withLock { next in
            guard ContinuousClock.now >= next else { return false }
            next = .now + Self.reportPeriod
            return true
        }
    }

    /// Writes the entries to the disk.
    ///
    /// - Returns: A problem that began since the last call.
    func sync() -> String? {
        log.sync()
        return log.takeFailure().map { "the audit log is incomplete: \(Failure($0).line)" }
    }

    /// Continues in a new file after a rotation; false if there was none.
    ///
    /// - Throws: `Failure`; the log then continues in its old file.
    func reopen() throws(Failure) -> Bool {
        do {
            return try log.reopen()
        } catch {
            throw Failure(error)
        }
    }

    /// Records the end of the server, and closes the file.
    func stop() {
        log.append(.stop)
        log.close()
    }
}

extension AuditLog {
    /// Appends entries about documents, each of a bounded size.
    fileprivate func append(
        _ event: AuditEvent,
        _ documents: [ListenerEvent.Document],
        _ members: JSONObject
    ) {
        var rest = documents[...]
        while !rest.isEmpty {
            var members = members
            members["documents"] = .array(
                rest.prefix(AuditLimits.documentCount).map { .object($0.auditMembers) }
            )
            append(event, members)
            rest = rest.dropFirst(AuditLimits.documentCount)
        }
    }
}

extension ListenerEvent.Document {
    fileprivate var auditMembers: JSONObject {
        var members: JSONObject = ["collection": .string(collection), "id": .string(id)]
        members["rev"] = revisionID.map { .string($0) }
        if isDeletion { members["deleted"] = true }
        return members
    }
}
