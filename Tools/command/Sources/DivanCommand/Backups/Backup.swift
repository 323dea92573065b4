import DivanCommandLine
import DivanDatabase
import DivanExchange
import DivanPlatform

/// One backup of a database into a directory: a full one, or the changes since the newest one.
struct Backup {
    /// How far the newest backup may be ahead of the clock, in milliseconds: the clock may have been corrected.
    private static let clockTolerance: Int64 = 300_000

    let store: Store
    /// The name that the files begin with.
    let database: String
    let directory: BackupDirectory
    /// How old a full backup may be when changes are still added to it, in milliseconds.
    let fullInterval: Int64
    let now: Int64

    /// A file that was written.
    struct Written {
        let name: BackupName
        let writer: DumpWriter
    }

    /// Writes the backup, and verifies what was written.
    ///
    /// A full one if the files before it cannot be continued: one is damaged, or of another database with this name, or
    /// the database is damaged.
    ///
    /// - Throws: `Failure` if the newest backup is from the future; `ExchangeError`; `StoreError`.
    func write(progress: @escaping ProgressHandler) throws -> Written {
        let names = try directory.names(of: database)
        let time = try time(after: names.last)
        if let start = names.lastIndex(where: { $0.kind == .full }),
            time - names[start].time < fullInterval
        {
            do {
                let ends = try names[start...].map {
                    try DumpEnd.last(ofFile: directory.place(of: $0.fileName))
                }
                let name = BackupName(database, at: time, .changes)
                return try write(name, since: ends.last, progress)
            } catch let error as ExchangeError where error.code.permitsFullDump {}
        }
        return try write(BackupName(database, at: time, .full), since: nil, progress)
    }

    /// The time of the new backup, which is later than that of the newest one.
    private func time(after newest: BackupName?) throws(Failure) -> Int64 {
        guard let newest, newest.time >= now else { return now }
        guard newest.time - now <= Self.clockTolerance else {
            throw Failure(
                kind: .conflict,
                sentence:
                    "\(newest.fileName.escapingControlCharacters()) is from the future: the clock "
                    + "of this machine shows \(Moment.text(now))",
                hint: "correct the clock, or move the backups with a wrong time elsewhere"
            )
        }
        return newest.time + 1
    }

    private func write(
        _ name: BackupName,
        since former: DumpEnd?,
        _ progress: @escaping ProgressHandler
    ) throws -> Written {
        let path = directory.place(of: name.fileName)
        let file = try OutputFile(path, OutputFile.Rules(isSecret: true))
        var writer = DumpWriter(store, to: file.write, progress: progress)
        try writer.write(since: former)
        try file.finish()
        do {
            let source = try ByteSource(path: path)
            let checked = ByteSource(name: path) {
                try Interruption.check()
                return try source.read()
            }
            try DumpCheck.verify(checked, after: former)
        } catch {
            try? FileSystem.removeFile(path)
            throw error
        }
        return Written(name: name, writer: writer)
    }
}

extension ExchangeError.Code {
    /// Whether a full dump may succeed where changes could not be written.
    fileprivate var permitsFullDump: Bool {
        switch self {
        case .notContinuable, .damagedDatabase, .damagedDocument: true
        default: false
        }
    }
}
