import Glibc

/// The current file of one level and the ones before it.
struct LevelFile: Sendable {
    private let level: LogLevel
    private var sinkLevel: LogLevel
    private var configuration: FileSinkConfiguration
    private var descriptor: Int32 = -1
    private var byteCount = 0
    private var serialNumber = 0
    private var startMilliseconds: Int64 = 0

    init(
        _ level: LogLevel,
        sinkLevel: LogLevel,
        configuration: FileSinkConfiguration
    ) throws(LogFileError) {
        self.level = level
        self.sinkLevel = sinkLevel
        self.configuration = configuration
        try open()
    }

    /// Changes the settings, for the next file's header and the length and number of files.
    mutating func adopt(_ configuration: FileSinkConfiguration, sinkLevel: LogLevel) {
        self.configuration = configuration
        self.sinkLevel = sinkLevel
        removeOldest()
    }

    /// Returns whether the line was written; after a line that exceeds the length, the next file begins.
    mutating func append(_ line: [UInt8]) -> Bool {
        // It could not be opened after the previous line.
        if descriptor < 0 { try? open() }
        guard descriptor >= 0, write(line) else { return false }
        if byteCount > configuration.fileByteCount {
            finish()
            try? open()
        }
        return true
    }

    /// Writes the last line and closes; a second call does nothing.
    mutating func finish() {
        guard descriptor >= 0 else { return }
        writeAll(Array("---- END ----\n".utf8), to: descriptor)
        Glibc.close(descriptor)
        descriptor = -1
    }

    private mutating func open() throws(LogFileError) {
        // Two files begun within one millisecond, by any sinks, still need two names; and if the clock was
        // ahead before, or is not set yet, a new file must not look like the oldest.
        let latest = max(startMilliseconds, starts().last ?? 0)
        startMilliseconds = max(Timestamp.now().milliseconds, latest + 1)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW
        var path = self.path
        descriptor = Glibc.open(path, flags, 0o600)
        while descriptor < 0, errno == EEXIST {
            startMilliseconds += 1
            path = self.path
            descriptor = Glibc.open(path, flags, 0o600)
        }
        guard descriptor >= 0 else { throw LogFileError(path: path, errorNumber: errno) }
        fchmod(descriptor, 0o600)  // whatever the process masks
        serialNumber += 1
        byteCount = 0
        _ = write(Array(self.header.utf8))
        removeOldest()
    }

    /// Writes a line; if the disk accepts only a part, that is removed, or the next line would continue it.
    private mutating func write(_ line: [UInt8]) -> Bool {
        guard writeAll(line, to: descriptor) else {
            var status = stat()
            if fstat(descriptor, &status) == 0, status.st_size > byteCount {
                ftruncate(descriptor, byteCount)
            }
            return false
        }
        byteCount += line.count
        return true
    }

    private var header: String {
        let settings = [
            "serialNo=\(serialNumber)",
            "logDirectory=\(escapedForLog(configuration.directory))",
            "fileLogLevel=\(sinkLevel.rawValue)",
            "fileMaxSize=\(configuration.fileByteCount)",
            "fileMaxCount=\(configuration.keptFileCount)",
        ]
        let product = escapedForLog(configuration.product)
        return "---- \(settings.joined(separator: ",")) ----\n---- \(product) ----\n"
    }

    private var path: String {
        "\(configuration.directory)/\(prefix)\(startMilliseconds)\(suffix)"
    }

    private var prefix: String { "cbl_\(level.word.lowercased())_" }
    private let suffix = ".cbllog"

    private func removeOldest() {
        for start in starts().dropLast(configuration.keptFileCount) {
            unlink("\(configuration.directory)/\(prefix)\(start)\(suffix)")
        }
    }

    /// When the existing files of this level began, according to their names, the oldest first.
    private func starts() -> [Int64] {
        fileNames(in: configuration.directory).compactMap { name -> Int64? in
            guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
            let start = Int64(name.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count))
            // A number beyond any clock is no file of ours.
            return start.flatMap { $0 < 1 << 53 ? $0 : nil }
        }.sorted()
    }
}

/// Creates the directory and its parents; an existing one is left unchanged.
func makeDirectory(_ path: String) throws(LogFileError) {
    var made = path.hasPrefix("/") ? "" : "."
    for component in path.split(separator: "/") {
        made += "/\(component)"
        if mkdir(made, 0o700) != 0, errno != EEXIST {
            throw LogFileError(path: made, errorNumber: errno)
        }
    }
}

private func fileNames(in path: String) -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
        names.append(
            // In place: the name may end at the end of its memory.
            withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
        )
    }
    return names
}
