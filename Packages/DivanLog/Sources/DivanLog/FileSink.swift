import Synchronization

/// Keeps entries in text files, one file a level, that are replaced when they grow too long.
///
/// Lines are `<UTC time> <domain> <level> <message>`. A file's first line tells the settings, the
/// second the product; an orderly close ends it with `---- END ----`. The oldest files of a level
/// are removed. What cannot be written (a full disk) is counted in `lostEntryCount` and dropped:
/// logging never stops the database. Safe from any thread.
///
/// Source: `behaviour.md` §17.
public final class FileSink: LogSink {
    /// Where and how much to keep.
    public struct Configuration: Sendable {
        /// The directory for the files; made when it is missing, with access for this user only.
        public var directory: String
        /// Files of each level that stay, the current one included; at least 1.
        public var keptFileCount: Int
        /// Bytes in one file before the next begins; at least 1,024.
        public var fileByteCount: Int
        /// The second line of each file: product and version.
        public var product: String

        /// Creates settings; the defaults are upstream's: 2 files of 512 KiB a level.
        public init(
            directory: String,
            keptFileCount: Int = 2,
            fileByteCount: Int = 524_288,
            product: String = "Divan"
        ) {
            self.directory = directory
            self.keptFileCount = max(1, keptFileCount)
            self.fileByteCount = max(1024, fileByteCount)
            self.product = product
        }
    }

    /// The least level that is kept.
    public let level: LogLevel
    private let state: Mutex<State>

    private struct State: Sendable {
        var files: [LogLevel: LevelFile]
        var lostEntryCount = 0
    }

    /// Opens one file for each level, all five; those below `level` get no entries.
    ///
    /// - Throws: `LogFileError` when the directory or a file cannot be made.
    public init(level: LogLevel, configuration: Configuration) throws(LogFileError) {
        self.level = level
        try makeDirectory(configuration.directory)
        var files: [LogLevel: LevelFile] = [:]
        for kept in LogLevel.allCases where kept != .none {
            files[kept] = try LevelFile(kept, sinkLevel: level, configuration: configuration)
        }
        state = Mutex(State(files: files))
    }

    deinit {
        close()
    }

    /// Entries that could not be written since the sink was made.
    public var lostEntryCount: Int { state.withLock(\.lostEntryCount) }

    /// Appends the entry to the file of its level.
    public func write(_ entry: LogEntry) {
        let head = "\(Timestamp.now().text) \(entry.domain.name) \(entry.level.word)"
        let line = Array("\(head) \(escapedForLog(entry.message))\n".utf8)
        state.withLock { state in
            if state.files[entry.level]?.append(line) != true { state.lostEntryCount += 1 }
        }
    }

    /// Ends every file with its last line; later entries are lost, a second call does nothing.
    public func close() {
        state.withLock { state in
            for level in state.files.keys { state.files[level]?.finish() }
            state.files = [:]
        }
    }
}
