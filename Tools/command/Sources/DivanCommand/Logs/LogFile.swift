import DivanCommandLine
import DivanExchange
import DivanJSON

/// One entry of a log file: `<UTC time> <domain> <level> <message>`.
struct LogLine {
    /// The levels in ascending order, as they are typed.
    static let levels = ["debug", "verbose", "info", "warning", "error"]

    /// ISO 8601 in UTC with microseconds, so that texts sort as times do.
    var time: String
    var domain: String
    var level: String
    var message: String

    /// Parses a line; `nil` for the lines at a file's beginning and end, and for anything else.
    init?(_ bytes: ArraySlice<UInt8>) {
        let text = String(decoding: bytes, as: UTF8.self)
        let parts = text.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].utf8.count > 19, parts[0].utf8.last == UInt8(ascii: "Z")
        else { return nil }
        (time, domain, level) = (String(parts[0]), String(parts[1]), String(parts[2]))
        message = String(parts[3])
    }

    /// The line as in the file, safe for a terminal.
    var text: String { "\(time) \(domain) \(level) \(message)".escapingControlCharacters() }

    /// The line as one JSON object.
    var json: String {
        let object: JSON = [
            "time": .string(time), "domain": .string(domain), "level": .string(level),
            "message": .string(message),
        ]
        return object.canonicalText
    }
}

/// The entries of one log file, in order.
final class LogFile {
    private let lines: ByteLines
    /// The entry that was read last; `nil` after the end.
    private(set) var current: LogLine?

    /// Opens a file and reads its first entry.
    ///
    /// - Throws: `Failure` if it cannot be read or is not a log file.
    init(_ path: String) throws {
        lines = ByteLines(try InputFile(path).source)
        guard let first = try lines.next() else { return }
        guard first.starts(with: Array("---- ".utf8)) || LogLine(first) != nil else {
            throw Failure(
                kind: .invalid,
                sentence: "\(path): not a Divan log file",
                hint: "use the .cbllog files that LogSinks.file writes"
            )
        }
        current = LogLine(first)
        if current == nil { try advance() }
    }

    /// Reads the next entry.
    func advance() throws {
        while let line = try lines.next() {
            guard let entry = LogLine(line) else { continue }
            current = entry
            return
        }
        current = nil
    }
}

/// Several log files merged in ascending order of time; one entry of each is held at a time.
struct LogMerge {
    private var files: [LogFile]

    init(_ files: [LogFile]) {
        self.files = files
    }

    /// Returns the earliest remaining entry; for equal times, the one of the file named first.
    mutating func next() throws -> LogLine? {
        var earliest: (file: LogFile, line: LogLine)?
        for file in files {
            guard let line = file.current else { continue }
            if let found = earliest, found.line.time <= line.time { continue }
            earliest = (file, line)
        }
        try earliest?.file.advance()
        return earliest?.line
    }
}
