import DivanJSON
import DivanPlatform
import DivanStatus
import DivanTestKit
import Foundation
import Testing

/// What processes publish about a database.
@Suite struct StatusDirectoryTests {
    private let bundle: String

    init() throws {
        bundle = NSTemporaryDirectory() + "status-\(UUID().uuidString).cblite2"
        try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
    }

    private var files: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: bundle + "/.status")) ?? []
    }

    @Test func `the README example works`() throws {
        defer { try? FileManager.default.removeItem(atPath: bundle) }
        let statuses = StatusDirectory(bundle: bundle)
        statuses.publish(["verb": "sync", "activity": "busy"])
        let verbs = try statuses.read().map { $0["verb"]?.string }
        statuses.withdraw()
        #expect(verbs == ["sync"])
    }

    @Test func `the status of an encrypted database contains no document IDs`() throws {
        defer { try? FileManager.default.removeItem(atPath: bundle) }
        let statuses = StatusDirectory(bundle: bundle, namesDocuments: false)
        let wait: JSON = ["for": "reply to rev of ada", "document": "ada", "seconds": 12]
        statuses.publish([
            "verb": "sync", "stall": "reply to rev of ada, 12 s", "code": 15,
            "error": "document ada is damaged", "waits": [wait],
            "peers": [["address": "10.0.0.7", "waits": [wait]]],
        ])
        let status = try #require(try statuses.read().first)
        #expect(!"\(JSON.object(status))".contains("ada"))
        let name = try #require(files.first)
        let text = try String(contentsOfFile: "\(bundle)/.status/\(name)", encoding: .utf8)
        #expect(!text.contains("ada"))
        #expect(status["waits"]?.array?.first?.object?["seconds"] == 12)
        #expect(status["peers"]?.array?.first?.object?["address"] == "10.0.0.7")
    }

    @Test func `two entries of one process coexist and are readable by the owner only`() throws {
        defer { try? FileManager.default.removeItem(atPath: bundle) }
        let (one, other) = (StatusDirectory(bundle: bundle), StatusDirectory(bundle: bundle))
        #expect(one.publish(["verb": "sync"]) && other.publish(["verb": "serve"]))
        #expect(one.publish(["verb": "push"]))
        let verbs = try one.read().map { $0["verb"]?.string }
        #expect(verbs == ["push", "serve"])
        #expect(try one.read().allSatisfy { $0["pid"]?.int == Int64(CurrentProcess.id) })
        for name in files + [""] {
            let path = "\(bundle)/.status/\(name)"
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            let mode = attributes[.posixPermissions] as? Int
            #expect(mode == (name.isEmpty ? 0o700 : 0o600), "\(path)")
        }
        one.withdraw()
        #expect(try other.read().count == 1)
        other.withdraw()
        #expect(!FileManager.default.fileExists(atPath: bundle + "/.status"))
    }

    @Test func `an entry of an ended process is removed`() throws {
        defer { try? FileManager.default.removeItem(atPath: bundle) }
        let statuses = StatusDirectory(bundle: bundle)
        statuses.publish(["verb": "sync"])
        let text = #"{"verb":"ghost","processStart":"1"}"#
        let ghost = bundle + "/.status/\(CurrentProcess.id)-900.json"
        try Data(text.utf8).write(to: URL(fileURLWithPath: ghost))
        try FileSystem.setPermissions(0o600, of: ghost)
        #expect(try statuses.read().map { $0["verb"]?.string } == ["sync"])
        #expect(!FileManager.default.fileExists(atPath: ghost))
        // Files with other names are not entries.
        for name in ["x.json", "-1.json", "1-2-3.json", "1.txt", "99999999999999999999.json"] {
            try Data().write(to: URL(fileURLWithPath: bundle + "/.status/" + name))
        }
        #expect(try statuses.read().count == 1)
    }

    @Test func `publishing removes entries of killed processes`() throws {
        defer { try? FileManager.default.removeItem(atPath: bundle) }
        let directory = bundle + "/.status"
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: true
        )
        // No process has such a number; one has this, and begins to write.
        for name in [
            "1999999999-1.json", "1999999999-2.json.new", "\(CurrentProcess.id)-900.json.new",
        ] {
            try Data(#"{"stall":"reply to"#.utf8).write(to: URL(filePath: "\(directory)/\(name)"))
        }
        StatusDirectory(bundle: bundle).publish(["verb": "sync"])
        #expect(
            files.count == 2 && files.allSatisfy { $0.hasPrefix("\(CurrentProcess.id)-") },
            "\(files)"
        )
    }

    @Test func `a file that others can write is reported and not used`() throws {
        defer { try? FileManager.default.removeItem(atPath: bundle) }
        let statuses = StatusDirectory(bundle: bundle)
        statuses.publish([:])
        let file = bundle + "/.status/1.json"
        try Data("{}".utf8).write(to: URL(fileURLWithPath: file))
        try FileSystem.setPermissions(0o644, of: file)
        #expect(throws: StatusError.self) { try statuses.read() }
        try FileSystem.setPermissions(0o600, of: file)
        #expect(try statuses.read().count == 1)
        let link = bundle + "/.status/2.json"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/etc/passwd")
        #expect(throws: StatusError.self) { try statuses.read() }
    }

    @Test func `a status over the limit is not published, and no partial file remains`() throws {
        defer { try? FileManager.default.removeItem(atPath: bundle) }
        let statuses = StatusDirectory(bundle: bundle)
        let long = String(repeating: "x", count: StatusLimits.fileByteCount)
        #expect(!statuses.publish(["text": .string(long)]))
        #expect(statuses.publish(["text": "short"]))
        #expect(files.count == 1)
        #expect(!StatusDirectory(bundle: bundle + "/missing").publish([:]))
    }

    @Test func `a rate is computed over the last seconds`() {
        var window = RateWindow()
        #expect(window.rate(0) == 0)
        for second in 0..<20 { window.note([UInt64(second) * 10, 5], at: Double(second)) }
        #expect(window.rate(0) == 10)
        #expect(window.rate(1) == 0)
        #expect(window.rate(7) == 0)
    }

    /// Only root can change the owner of a file.
    @Test(.enabled(if: CurrentProcess.effectiveUser == 0))
    func `a file of another user is reported as such`() throws {
        defer { try? FileManager.default.removeItem(atPath: bundle) }
        let statuses = StatusDirectory(bundle: bundle)
        statuses.publish([:])
        let name = try #require(files.first)
        let file = try FileDescriptor.open(bundle + "/.status/" + name, .readOnly)
        defer { file.close() }
        try file.setOwner(12_345, group: 12_345)
        let error = #expect(throws: StatusError.self) { try statuses.read() }
        #expect(error?.description.contains("another user (12345)") == true)
        #expect(error?.description.contains("chmod") == false)
    }
}
