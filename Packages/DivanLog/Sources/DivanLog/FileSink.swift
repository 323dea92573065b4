/// Writes entries to text files, one for each level, which are rotated when they reach a maximum size.
///
/// Lines are `<UTC time> <domain> <level> <message>`. A file's first line contains the settings, the second the
/// product; a closed file ends with `---- END ----`. The oldest files of a level are deleted. An entry that cannot
/// be written, for example on a full disk, is discarded and counted in `lostEntryCount`: logging never stops the
/// database. Can be used from any thread.
///
/// Source: `behaviour.md` §17.
public final class FileSink: LogSink {
    /// The settings of the sink.
    public typealias Configuration = FileSinkConfiguration

    /// The lowest level that is written.
    public let level: LogLevel
    private let files: LevelFiles

    /// Opens one file for each of the five levels; the files below `level` get no entries.
    ///
    /// - Throws: `LogFileError` if the directory or a file cannot be created.
    public init(level: LogLevel, configuration: Configuration) throws(LogFileError) {
        self.level = level
        files = try LevelFiles(sinkLevel: level, configuration: configuration)
    }

    /// Creates a sink that continues to write to the open files of another sink, with different settings for later
    /// entries.
    ///
    /// The files remain open until one of the sinks that share them is closed, or the last is released. A file that
    /// is already open keeps its header.
    ///
    /// - Precondition: `configuration` has the same directory as `other`.
    public init(continuing other: FileSink, level: LogLevel, configuration: Configuration) {
        self.level = level
        files = other.files
        files.adopt(configuration, sinkLevel: level)
    }

    /// The number of entries that could not be written since the files were opened.
    public var lostEntryCount: Int { files.lostEntryCount }

    /// Appends an entry to the file of its level.
    public func write(_ entry: LogEntry) {
        let head = "\(Timestamp.now().text) \(entry.domain.name) \(entry.level.word)"
        files.append(Array("\(head) \(escapedForLog(entry.message))\n".utf8), to: entry.level)
    }

    /// Writes the last line of each file.
    ///
    /// Later entries are lost, including those of sinks that share the files. A second call does nothing.
    public func close() {
        files.close()
    }
}
