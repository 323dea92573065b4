import DivanCommandLine
import DivanJSON
import DivanPlatform

/// A directory with the backups of databases.
struct BackupDirectory {
    let path: String

    /// Creates the directory if it does not exist, accessible only by its owner.
    func create() throws(Failure) {
        do {
            try FileSystem.makeDirectory(path, permissions: 0o700)
        } catch {
            guard error.errno == .fileExists else { throw .writing(path, error.errno) }
        }
    }

    /// Prevents other processes from making backups of a database here, until the file is closed.
    func lock(_ database: String) throws(Failure) -> FileDescriptor {
        let place = place(of: ".\(database).lock")
        let file: FileDescriptor
        do {
            let flags: FileDescriptor.OpenFlags = [.readWrite, .create, .closeOnExec, .noFollow]
            file = try FileDescriptor.open(place, flags, permissions: 0o600)
        } catch {
            throw .writing(place, error.errno)
        }
        do {
            try file.lock(waits: false)
            return file
        } catch {
            file.close()
            guard error.errno == .wouldBlock else { throw .writing(place, error.errno) }
            throw Failure(
                kind: .conflict,
                sentence: "another backup of \(database) to \(path) is running",
                hint: "wait until it ends, or use another directory"
            )
        }
    }

    /// The backups of all databases, in order of name and time.
    func names() throws(Failure) -> [BackupName] {
        do {
            return try FileSystem.names(in: path).compactMap { BackupName(parsing: $0) }.sorted()
        } catch {
            throw .file(path, error.errno)
        }
    }

    /// The backups of one database, in order of time.
    func names(of database: String) throws(Failure) -> [BackupName] {
        try names().filter { $0.database == ExactText(database) }
    }

    /// The path of a file.
    func place(of name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

    /// The files that restore a database as of a time: a full backup and the changes up to it.
    ///
    /// - Parameters:
    ///   - database: The name that is chosen if there are backups of several databases.
    ///   - time: The moment; `nil` for the newest backup.
    /// - Returns: The files in the order in which they are read.
    /// - Throws: `Failure` of kind `notFound` if there is no backup from that time or before, and `usage` if the database
    ///   cannot be chosen.
    func chain(of database: String, at time: Int64?) throws(Failure) -> [BackupName] {
        let all = try names()
        let databases = Set(all.map(\.database))
        guard databases.count <= 1 || databases.contains(ExactText(database)) else {
            throw Failure.usage(
                "\(path) has backups of several databases: "
                    + databases.sorted().map(\.text).joined(separator: ", "),
                hint: "give the files instead: a full backup, and then the changes"
            )
        }
        let own = all.filter { databases.count == 1 || $0.database == ExactText(database) }
        let past = own.filter { $0.time <= time ?? .max }
        guard let start = past.lastIndex(where: { $0.kind == .full }) else {
            throw Failure(
                kind: .notFound,
                sentence: time == nil || own.isEmpty
                    ? "\(path) has no backup" : "\(path) has no backup from that time or before",
                hint: own.first.map { "the oldest one is from \(Moment.text($0.time))" }
                    ?? "make one with 'divan backup'"
            )
        }
        return Array(past[start...])
    }
}
