public import DivanJSON
import DivanPlatform
import Foundation
import Synchronization

/// Publishes the status of replicators and listeners to other processes, in small files inside a database.
///
/// The files are in `.status/`, accessible only by their owner (mode 0700, files 0600), and are replaced atomically.
/// They contain no passwords or bodies. Can be used from any thread; calls for one object must not overlap.
public struct StatusDirectory: Sendable {
    /// The number of boards that this process has created.
    private static let count = Atomic(0)

    private let directory: String
    private let own: String
    /// Whether entries may contain document IDs; set it to false for an encrypted database.
    public var namesDocuments: Bool
    private let start = Self.start(of: CurrentProcess.id)

    /// Creates the status of one listener or replicator in a database's directory.
    ///
    /// The files are plain text, so pass `namesDocuments: false` for an encrypted database.
    public init(bundle: String, namesDocuments: Bool = true) {
        self.namesDocuments = namesDocuments
        directory = bundle + "/.status"
        let number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
        own = "\(directory)/\(CurrentProcess.id)-\(number).json"
    }

    /// Publishes the entry, replacing the previous one.
    ///
    /// - Returns: Whether the entry was published.
    @discardableResult
    public func publish(_ status: JSONObject) -> Bool {
        var status = namesDocuments ? status : status.withoutDocuments
        status["pid"] = JSON(Int(CurrentProcess.id))
        status["processStart"] = start.map { .string($0) } ?? .null
        let seconds = Double(WallClock.milliseconds()) / 1000
        status["updated"] = .string(ISO8601.format(secondsSince1970: seconds))
        guard let bytes = try? JSON.object(status).canonicalBytes(),
            bytes.count <= StatusLimits.fileByteCount
        else { return false }
        try? FileSystem.makeDirectory(directory)
        // Once for each entry: a program that is killed repeatedly would leave a file each time.
        if !FileSystem.isAccessible(own) { removeStaleEntries() }
        return OwnerOnlyFile.replace(own, with: bytes)
    }

    /// Removes the entry.
    public func withdraw() {
        try? FileSystem.removeFile(own)
        try? FileSystem.removeDirectory(directory)
    }

    /// Removes the files of killed processes.
    public func removeStaleEntries() {
        // The name of a partly written entry begins with that of the entry.
        for name in names() {
            let entry = name.hasSuffix(".new") ? String(name.dropLast(4)) : name
            guard let process = Self.process(of: entry) else { continue }
            let file = "\(directory)/\(name)"
            if isLeft(file, by: process.pid) { try? FileSystem.removeFile(file) }
        }
    }

    private func isLeft(_ file: String, by pid: Int32) -> Bool {
        // Half an entry does not say when its process began.
        guard let status = try? status(in: file) else { return Self.start(of: pid) == nil }
        return !Self.isOfLiving(status, pid)
    }

    /// The status in a file; `nil` if it no longer exists or is not a complete entry.
    private func status(in file: String) throws(StatusError) -> JSONObject? {
        try OwnerOnlyFile.read(file, limit: StatusLimits.fileByteCount)
            .flatMap { (try? JSON(parsing: $0))?.object }
    }

    private static func isOfLiving(_ status: JSONObject, _ pid: Int32) -> Bool {
        guard let start = status["processStart"]?.string else { return false }
        return start == self.start(of: pid)
    }

    /// Returns the entries of all running processes, the oldest process first.
    ///
    /// - Throws: `StatusError` for a file that another user could have written.
    public func read() throws(StatusError) -> [JSONObject] {
        let entries = names().compactMap { name in Self.process(of: name).map { (name, $0) } }
            .sorted { ($0.1.pid, $0.1.number) < ($1.1.pid, $1.1.number) }
        var statuses: [JSONObject] = []
        for (name, process) in entries {
            let file = "\(directory)/\(name)"
            // The process may have ended in the meantime.
            guard let status = try status(in: file) else { continue }
            guard Self.isOfLiving(status, process.pid) else {
                try? FileSystem.removeFile(file)  // it was killed
                continue
            }
            statuses.append(status)
        }
        return statuses
    }

    private func names() -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    }

    /// The process in the name of a file, `4711-2.json`, and the number of its entry.
    private static func process(of name: String) -> (pid: Int32, number: Int)? {
        guard name.hasSuffix(".json") else { return nil }
        let parts = name.dropLast(5).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count <= 2, let pid = parts.first.flatMap({ Int32($0) }), pid > 0 else {
            return nil
        }
        guard parts.count == 2 else { return (pid, 0) }
        return Int(parts[1]).map { (pid, $0) }
    }

    /// When a process began, in kernel ticks: a reused process ID has another start.
    private static func start(of pid: Int32) -> String? {
        guard let bytes = OwnerOnlyFile.contents("/proc/\(pid)/stat", limit: 1 << 16),
            // The program's name may contain spaces and parentheses.
            let end = bytes.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let fields = String(decoding: bytes[end...], as: UTF8.self).split(separator: " ")
        // The 22nd field of proc(5), where the name is the second.
        return fields.indices.contains(20) ? String(fields[20]) : nil
    }
}

extension JSONObject {
    /// The same without anything that may name a document; waiting times and error codes stay.
    fileprivate var withoutDocuments: JSONObject {
        var object = self
        object["stall"] = nil
        if object["error"] != nil {
            let code = object["code"]?.int.map { "error \($0); see the program's own output" }
            object["error"] = .string(code ?? "error; see the program's own output")
        }
        if let waits = object["waits"]?.array {
            object["waits"] = .array(
                waits.map { wait in
                    .object(["for": "a reply", "seconds": wait.object?["seconds"] ?? .null])
                }
            )
        }
        if let peers = object["peers"]?.array {
            object["peers"] = .array(
                peers.map { peer in .object(peer.object?.withoutDocuments ?? [:]) }
            )
        }
        return object
    }
}
