import DivanCommandLine
import DivanDatabase
import DivanExchange
import DivanJSON
import DivanPlatform

/// `divan backup`.
enum BackupCommand: Command {
    static let syntax = CommandSyntax(
        name: "backup",
        summary: "add a backup of a database to a directory",
        operands: [.database, .init(name: "DIR", completion: .file)],
        options: [
            .value("--keep", "COUNTS", "remove older backups, but keep these: 7d,4w,12m,2y"),
            .value("--full-every", "TIME", "make a full backup after this time (default: 7d)"),
            .value("--every", "TIME", "repeat until stopped, if the database has changed"),
            .json,
        ],
        details: """
            Writes the changes since the newest backup in DIR. The whole database is written if
            there is none, if the last full backup is a week old, or if a file is damaged. The
            database may be in use. Each file is read again and compared with its checksum. Every
            file is a dump that only its owner can read; it is not encrypted, even if the database
            is. Databases with different names can share DIR.

            'divan restore DB DIR' recreates the database as of the newest backup, and with --at
            as of an earlier one.

            With --keep, each full backup removes older files. All files of the last days (d) with
            backups are kept, and the first full backup of each of the last weeks (w), months (m)
            and years (y). Nothing is removed if the full backup lacks documents or blobs.
            """,
        examples: [
            "divan backup shop /var/backups/shop",
            "divan backup shop /var/backups/shop --keep 7d,4w,12m",
            "divan backup shop /mnt/nas/shop --every 1m",
        ]
    )

    private static let fullInterval: Int64 = 7 * 86_400_000

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let keep = try arguments.value("--keep").map { text throws(Failure) in
            try BackupRetention(parsing: text)
        }
        let fullInterval = try length(arguments, "--full-every") ?? Self.fullInterval
        let pause = try length(arguments, "--every")
        let directory = BackupDirectory(path: arguments.operands[1])
        let database = arguments.database
        try database.requireDatabase()
        try directory.create()
        let lock = try directory.lock(database.name)
        defer { lock.close() }
        let run = {
            // Opened each time, because the database may have been replaced.
            let store = try database.open(forWriting: false)
            defer { try? store.close() }
            let backup = Backup(
                store: store,
                database: database.name,
                directory: directory,
                fullInterval: fullInterval,
                now: Moment.now()
            )
            try self.run(backup, keep, terminal)
        }
        guard let pause else { return try run() }
        try repeating(every: pause, of: database, terminal, run)
    }

    /// Makes a backup at once and then after each pause in which the files have changed, until Ctrl-C or SIGTERM.
    ///
    /// A failure of the first backup ends it. Later ones are reported, because they may be temporary, and so are
    /// documents and blobs that are missing.
    private static func repeating(
        every pause: Int64,
        of database: DatabasePath,
        _ terminal: Terminal,
        _ run: () throws -> Void
    ) throws {
        let stopped = TimedSignal()
        let interruption = Interruption.forVerb()
        interruption.onRequest { stopped.signal() }
        try Interruption.$current.withValue(interruption) {
            var last: [FileStatus?]?
            repeat {
                let current = database.fileStatus
                guard current != last else { continue }
                do {
                    try run()
                    last = current
                } catch {
                    guard !interruption.isRequested else { return }
                    let failure = Failure(explaining: error)
                    guard last != nil || failure.kind == .partly else { throw failure }
                    terminal.warn(failure.sentence)
                    if failure.kind == .partly { last = current }
                }
            } while !stopped.wait(for: .milliseconds(pause))
        }
    }

    private static func run(
        _ backup: Backup,
        _ keep: BackupRetention?,
        _ terminal: Terminal
    ) throws {
        let progress = ProgressLine(terminal, verb: "backed up")
        defer { progress.finish() }
        let written = try Stoppable.run(leaving: "no backup was written") {
            try backup.write { try progress.show($0) }
        }
        progress.finish()
        var removed: [BackupName] = []
        // A damaged document that a full backup lacks is not reported by the changes that follow it.
        if let keep, written.name.kind == .full, written.writer.isComplete {
            removed = keep.surplus(among: try backup.directory.names(of: backup.database))
            for name in removed {
                let path = backup.directory.place(of: name.fileName)
                do {
                    try FileSystem.removeFile(path)
                } catch {
                    throw Failure.writing(path, error.errno)
                }
            }
        }
        report(written, removed, terminal)
        try written.writer.requireCompleteness()
    }

    private static func report(
        _ written: Backup.Written,
        _ removed: [BackupName],
        _ terminal: Terminal
    ) {
        let writer = written.writer
        writer.reportLosses(terminal)
        let contents = Numbers.contents(writer.documentCount, blobs: writer.blobCount)
        let what = written.name.kind == .full ? "the whole database" : "changes"
        var sentence =
            "Backed up \(what) (\(contents), \(Numbers.bytes(writer.byteCount))) to "
            + written.name.fileName.escapingControlCharacters()
        if !removed.isEmpty {
            sentence += "; removed \(Numbers.count(removed.count, "old file"))"
        }
        var members = writer.members
        members["file"] = .string(written.name.fileName)
        members["kind"] = .string(written.name.kind.rawValue)
        members["time"] = .string(Moment.text(written.name.time))
        members["removed"] = .array(removed.map { .string($0.fileName) })
        terminal.done(sentence, members)
    }

    /// A duration of at least a second, in milliseconds.
    private static func length(_ arguments: Arguments, _ option: String) throws(Failure) -> Int64? {
        guard let text = arguments.value(option) else { return nil }
        guard let length = Moment.distance(text), length > 0 else {
            throw Failure.usage(
                "invalid duration '\(text)' for '\(option)'",
                hint: "use 90s, 15m, 12h, 30d or 4w"
            )
        }
        return length
    }
}
