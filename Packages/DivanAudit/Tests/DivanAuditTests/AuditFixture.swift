import DivanAudit
import DivanJSON
import DivanPlatform
import DivanTestKit

/// A directory with an audit log.
struct AuditFixture {
    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("audit.log")
    }

    static let key = try? AuditKey(Array("a key of the tests".utf8))
    static let otherKey = try? AuditKey(Array("another key of the tests".utf8))

    /// Opens the log with a clock that always shows 2001-09-09T01:46:40.000Z.
    func open(_ key: AuditKey? = nil) throws -> AuditLog {
        try AuditLog(path, key: key) { 1_000_000_000_000 }
    }

    /// Writes a small log: five lines.
    @discardableResult
    func writeSmallLog(_ key: AuditKey? = nil) throws -> AuditLog.Position {
        let log = try open(key)
        log.append(.start, ["version": "1"])
        log.append(.connect, ["user": "anna", "address": "127.0.0.1"])
        log.append(.write, ["documents": .array([["id": "soup", "rev": "1-ab"]])])
        log.append(.stop)
        let position = log.position
        log.close()
        return position
    }

    func bytes(_ name: String = "audit.log") throws -> [UInt8] {
        let file = try FileDescriptor.open(directory.file(name), [.readOnly, .closeOnExec])
        defer { file.close() }
        return try file.readAll() ?? []
    }

    func write(_ bytes: [UInt8], to name: String = "audit.log") throws {
        let file = try FileDescriptor.open(
            directory.file(name),
            [.writeOnly, .create, .truncate, .closeOnExec],
            permissions: 0o600
        )
        defer { file.close() }
        try file.writeAll(bytes)
    }

    func text() throws -> String { String(decoding: try bytes(), as: UTF8.self) }

    /// The first finding in bytes, received in one piece.
    static func finding(
        in bytes: [UInt8],
        _ key: AuditKey? = nil,
        head: AuditCode? = nil
    ) -> AuditFinding? {
        finding(in: [bytes], key, head: head)
    }

    /// The first finding in bytes, received in pieces.
    static func finding(
        in pieces: [[UInt8]],
        _ key: AuditKey? = nil,
        head: AuditCode? = nil
    ) -> AuditFinding? {
        var check = AuditCheck(key: key, head: head)
        for piece in pieces { check.receive(piece) }
        check.endFile()
        check.finish()
        return check.finding
    }
}

extension [UInt8] {
    /// The lines with their line ends.
    var lines: [[UInt8]] {
        split(separator: UInt8(ascii: "\n")).map { Array($0) + [UInt8(ascii: "\n")] }
    }
}
