import DivanCommandLine
import DivanJSON
import Foundation
import Glibc

/// Where running commands tell others how they are: one small file each, inside the database.
///
/// The files lie in `.status/`, which only their owner can enter (mode 0700, files 0600), and are
/// replaced as a whole. They hold no secrets: URLs carry no passwords, and bodies are not told.
struct StatusBoard: Sendable {
    private static let byteLimit = 1 << 20

    private let directory: String
    private let own: String
    private let start = Self.start(of: getpid())

    /// The board of a database.
    init(_ path: DatabasePath) {
        directory = path.bundle + "/.status"
        own = "\(directory)/\(getpid()).json"
    }

    /// Publishes the status of this process; a failure costs nobody anything but this view.
    func publish(_ status: JSONObject) {
        var status = status
        status["pid"] = JSON(getpid())
        status["processStart"] = start.map { .string($0) } ?? .null
        status["updated"] = .string(Moment.text(Moment.now()))
        mkdir(directory, 0o700)
        let text = JSON.object(status).canonicalText
        try? PrivateFile.write(Array(text.utf8), to: own, isSynced: false)
    }

    /// Takes the status of this process away.
    func withdraw() {
        unlink(own)
        rmdir(directory)
    }

    /// What every process that is alive has published, the oldest process first.
    func read() throws -> [JSONObject] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        let pids = names.filter { $0.hasSuffix(".json") }.compactMap { pid_t($0.dropLast(5)) }
        var statuses: [JSONObject] = []
        for pid in pids.sorted() {
            let file = "\(directory)/\(pid).json"
            let status: JSONObject
            do {
                let bytes = try PrivateFile.read(file, limit: Self.byteLimit)
                guard let object = try JSON(parsing: bytes).object else { continue }
                status = object
            } catch let failure as Failure where failure.kind == .notFound {
                continue  // it ended in between
            }
            guard case .string(let start)? = status["processStart"], start == Self.start(of: pid)
            else {
                unlink(file)  // it was killed
                continue
            }
            statuses.append(status)
        }
        return statuses
    }

    /// When a process began, in the kernel's ticks: a number that is used again has another.
    private static func start(of pid: pid_t) -> String? {
        guard let bytes = try? InputFile("/proc/\(pid)/stat").rest(limit: 1 << 16),
            // The name of the program may hold spaces and parentheses.
            let end = bytes.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let fields = String(decoding: bytes[end...], as: UTF8.self).split(separator: " ")
        // The 22nd field of proc(5), the name counted as the second.
        return fields.indices.contains(20) ? String(fields[20]) : nil
    }
}
