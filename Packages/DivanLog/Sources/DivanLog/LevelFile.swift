import DivanPlatform

/// The current file of one level and the ones before it.
struct LevelFile: Sendable {
    private let level: LogLevel
    private var sinkLevel: LogLevel
    private var configuration: FileSinkConfiguration
    private var descriptor = FileDescriptor.none
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
        if !descriptor.isOpen { try? open() }
        guard descriptor.isOpen, write(line) else { return false }
        if byteCount > configuration.fileByteCount {
            finish()
            try? open()
        }
        return true
    }

    /// Writes the last line and closes; a second call does nothing.
    mutating func finish() {
        guard descriptor.isOpen else { return }
        try? descriptor.writeAll(Array("---- END ----\n".utf8))
        descriptor.close()
        descriptor = .none
    }

    private mutating func open() throws(LogFileError) {
        // Two files begun within one millisecond, by any sinks, still need two names; and if the clock was
        // ahead before, or is not set yet, a new file must not look like the oldest.
        let latest = max(startMilliseconds, starts().last ?? 0)
        startMilliseconds = max(Timestamp.now().milliseconds, latest + 1)
        while !descriptor.isOpen {
            do {
                descriptor = try FileDescriptor.open(
                    path,
                    [.writeOnly, .create, .exclusive, .append, .closeOnExec, .noFollow],
                    permissions: 0o600
                )
            } catch  where error.errno == .fileExists {
                startMilliseconds += 1
            } catch {
                throw LogFileError(path: path, errorNumber: error.errno.rawValue)
            }
        }
        try? descriptor.setPermissions(0o600)  // whatever the process masks
        serialNumber += 1
        byteCount = 0
        _ = write(Array(self.header.utf8))
        removeOldest()
    }

    /// Writes a line; if the disk accepts only a part, that is removed, or the next line would continue it.
    private mutating func write(_ line: [UInt8]) -> Bool {
        do {
            try descriptor.writeAll(line)
        } catch {
            if let status = try? descriptor.status(), status.byteCount > byteCount {
                try? descriptor.truncate(to: byteCount)
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
            try? FileSystem.removeFile("\(configuration.directory)/\(prefix)\(start)\(suffix)")
        }
    }

    /// When the existing files of this level began, according to their names, the oldest first.
    private func starts() -> [Int64] {
        let names = (try? FileSystem.names(in: configuration.directory)) ?? []
        return names.compactMap { name -> Int64? in
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
        do {
            try FileSystem.makeDirectory(made)
        } catch  where error.errno == .fileExists {
        } catch {
            throw LogFileError(path: made, errorNumber: error.errno.rawValue)
        }
    }
}
