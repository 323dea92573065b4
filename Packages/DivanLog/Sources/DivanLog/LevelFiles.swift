import Synchronization

/// The open files of all levels, to which successive sinks may write.
final class LevelFiles: Sendable {
    private struct State: Sendable {
        var files: [LogLevel: LevelFile]
        var lostEntryCount = 0
    }

    private let state: Mutex<State>

    /// - Throws: `LogFileError` if the directory or a file cannot be created.
    init(sinkLevel: LogLevel, configuration: FileSinkConfiguration) throws(LogFileError) {
        try makeDirectory(configuration.directory)
        var files: [LogLevel: LevelFile] = [:]
        for kept in LogLevel.allCases where kept != .none {
            do throws(LogFileError) {
                files[kept] = try LevelFile(
                    kept,
                    sinkLevel: sinkLevel,
                    configuration: configuration
                )
            } catch {
                for opened in files.keys { files[opened]?.finish() }
                throw error
            }
        }
        state = Mutex(State(files: files))
    }

    deinit {
        close()
    }

    var lostEntryCount: Int { state.withLock(\.lostEntryCount) }

    /// Changes the settings, for the lengths and numbers from now on and for later headers.
    func adopt(_ configuration: FileSinkConfiguration, sinkLevel: LogLevel) {
        state.withLock { state in
            for level in state.files.keys {
                state.files[level]?.adopt(configuration, sinkLevel: sinkLevel)
            }
        }
    }

    func append(_ line: [UInt8], to level: LogLevel) {
        state.withLock { state in
            if state.files[level]?.append(line) != true { state.lostEntryCount += 1 }
        }
    }

    func close() {
        state.withLock { state in
            for level in state.files.keys { state.files[level]?.finish() }
            state.files = [:]
        }
    }
}
