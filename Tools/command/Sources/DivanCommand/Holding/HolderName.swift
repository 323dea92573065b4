import DivanCommandLine
import DivanPlatform
import Foundation

/// Describes the process that has a database open: `divan serve, process 4711, since 12:30`.
enum HolderName {
    /// The process that has the lock of a database; `nil` if it is unknown.
    static func find(_ bundle: String) -> String? {
        guard let process = process(having: bundle) else { return nil }
        var name = "process \(process)"
        if let program = program(of: process) { name = "\(program), " + name }
        if let begin = begin(of: process) { name += ", since \(clock(begin))" }
        return name
    }

    /// The user whose process has the lock of a database, as sudo(8) takes it; `nil` if it is this one.
    static func otherUser(_ bundle: String) -> String? {
        guard let process = process(having: bundle),
            let owner = (try? FileStatus(of: "/proc/\(process)"))?.owner,
            owner != CurrentProcess.effectiveUser
        else { return nil }
        return CurrentProcess.name(ofUser: owner) ?? "#\(owner)"
    }

    /// Whether `divan serve` has the lock of a database.
    static func isServer(_ bundle: String) -> Bool {
        process(having: bundle).flatMap(program) == "divan serve"
    }

    /// Whether a command of ours has the lock of a database.
    static func isCommand(_ bundle: String) -> Bool {
        process(having: bundle).flatMap(program)?.hasPrefix("divan ") ?? false
    }

    private static func process(having bundle: String) -> Int32? {
        (try? FileStatus(of: bundle + "/lock")).flatMap(process)
    }

    /// A time of today as the clock time, an earlier one with its date.
    static func clock(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        let isToday = Calendar.current.isDateInToday(date)
        formatter.dateFormat = isToday ? "HH:mm" : "yyyy-MM-dd HH:mm"
        return formatter.string(from: date)
    }

    /// From the list of locks in proc(5): `1: FLOCK  ADVISORY  WRITE 4711 08:02:131 0 EOF`.
    private static func process(locking status: FileStatus) -> Int32? {
        guard let text = text("/proc/locks") else { return nil }
        let inode = ":\(status.inode)"
        for line in text.split(separator: "\n") where line.contains("FLOCK") {
            let fields = line.split(separator: " ")
            guard fields.count > 5, fields[5].hasSuffix(inode), !fields.contains("->") else {
                continue
            }
            return Int32(fields[4])
        }
        return nil
    }

    /// The program's name, and the command for `divan`: a database follows the command, and `divan soup`
    /// alone is the shell.
    static func program(of process: Int32) -> String? {
        guard let line = text("/proc/\(process)/cmdline") else { return nil }
        let words = line.split(separator: "\0").map(String.init)
        guard let path = words.first else { return nil }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        guard name == "divan", words.count > 2 else { return name }
        return "\(name) \(words[1])"
    }

    /// The directory of a process is created when it starts.
    private static func begin(of process: Int32) -> Date? {
        (try? FileStatus(of: "/proc/\(process)")).map {
            Date(timeIntervalSince1970: Double($0.modifiedSeconds))
        }
    }

    private static func text(_ path: String) -> String? {
        (try? InputFile(path).rest(limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
    }
}
