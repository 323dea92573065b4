/// Keeps entries in text files, one file per level, that are rotated when they grow too long.
///
/// Lines are `<UTC time> <domain> <level> <message>`. A file's first line has the settings, the
/// second the product; closing ends it with `---- END ----`. The oldest files of a level
/// are removed. An entry that cannot be written (a full disk) is counted in `lostEntryCount` and dropped:
/// logging never stops the database. Safe from any thread.
///
/// Source: `behaviour.md` §17.
public final class FileSink: LogSink {
    /// Where and how much to keep.
    public typealias Configuration = FileSinkConfiguration

    /// The lowest level that is kept.
    public let level: LogLevel
    private let files: LevelFiles

    /// Opens one file for each level, all five; those below `level` get no entries.
    ///
    /// - Throws: `LogFileError` if the directory or a file cannot be created.
    public init(level: LogLevel, configuration: Configuration) throws(LogFileError) {
        self.level = level
        files = try LevelFiles(sinkLevel: level, configuration: configuration)
    }

    /// Continues in the open files of another sink, with other settings for later entries.
    ///
    /// The files stay open until one of the sinks that share them is closed, or the last is released. A
    /// file that is already open keeps its header.
    ///
    /// - Precondition: `configuration` names the directory of `other`.
    public init(continuing other: FileSink, level: LogLevel, configuration: Configuration) {
        self.level = level
        files = other.files
        files.adopt(configuration, sinkLevel: level)
    }

    /// Entries that could not be written since the files were opened.
    public var lostEntryCount: Int { files.lostEntryCount }

    /// Appends the entry to the file of its level.
    public func write(_ entry: LogEntry) {
        let head = "\(Timestamp.now().text) \(entry.domain.name) \(entry.level.word)"
        files.append(Array("\(head) \(escapedForLog(entry.message))\n".utf8), to: entry.level)
    }

    /// Ends every file with its last line.
    ///
    /// Later entries are lost, including those of sinks that share the files. A second call does nothing.
    public func close() {
        files.close()
    }
}
