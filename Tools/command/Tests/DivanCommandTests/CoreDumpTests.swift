import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// A deliberate core dump of a command that has an encrypted database open and has read all of it.
@Suite(.timeLimit(.minutes(5))) struct CoreDumpTests {
    private static let words = (0..<40).map { "planted\($0 * 7_919)quokka" }
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.write("key", String(repeating: "5c", count: 32))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600],
            ofItemAtPath: shell.path("key")
        )
    }

    /// How many of the words occur in a folder, in any file.
    private func found(in folder: String) throws -> Int {
        let names = try #require(FileManager.default.enumerator(atPath: folder))
        var all = Data()
        for case let name as String in names {
            all += FileManager.default.contents(atPath: "\(folder)/\(name)") ?? Data()
        }
        return Self.words.filter { all.range(of: Data($0.utf8)) != nil }.count
    }

    /// Ends a process with a core dump, if the system creates one and lets us request it.
    ///
    /// Root may raise the limit that the command has set; then only the filter excludes memory.
    private func dump(_ process: RunningProgram) throws {
        let number = process.processIdentifier
        let words = ["--pid", "\(number)", "--core=unlimited:unlimited"]
        _ = try Program("/usr/bin/prlimit").run(words)
        // A child inherits the blocked signals of the thread that starts it; this is not one of them.
        process.signal(.invalidMemory)
        process.finish()
    }

    @Test func `the text of an encrypted database is in no file and no core dump`() throws {
        let lines = Self.words.enumerated().map { #"{"_id":"d\#($0)","word":"\#($1)"}"# }
        for folder in ["sealed", "temporary", "plain"] {
            try FileManager.default.createDirectory(
                atPath: shell.path(folder),
                withIntermediateDirectories: true
            )
        }
        let text = lines.joined(separator: "\n")
        let key = ["--key-file", "key"]
        for (folder, key) in [("sealed", key), ("plain", [])] {
            let database = "\(folder)/db"
            let encrypt = key.isEmpty ? [] : ["--encrypt"]
            #expect(try shell.divan(["new", database] + encrypt + key).status == 0)
            let imported = try shell.divan(["import", database, "-"] + key, input: text)
            #expect(imported.status == 0, "\(imported)")
        }
        let server = try shell.start(
            ["serve", "sealed/db", "--interface", "127.0.0.1", "--no-tls"] + key,
            // Without Swift's crash printer, which would run inside the dying process.
            ["TMPDIR": shell.path("temporary"), "SWIFT_BACKTRACE": "enable=no"]
        )
        // Everything passes through the server's memory.
        try shell.run("new", "plain/copy")
        try shell.run("sync", "plain/copy", try server.url())
        try dump(server.process)

        #expect(try found(in: shell.path("sealed")) == 0)
        #expect(try found(in: shell.path("temporary")) == 0)
        #expect(try found(in: shell.path("plain")) == 40)
        #expect(try foundInDumps() == 0)

        // In the same way, a process without this protection: if the system writes core files at all, the
        // search finds everything.
        let script =
            "cd '\(shell.directory)'; ulimit -c unlimited; read -r w; echo ready; read -r y"
        let careless = try Program("/bin/bash").start(["-c", script], input: .lines)
        _ = try careless.ask(Self.words.joined(separator: " "))
        try dump(careless)
        if try !dumpNames().isEmpty { #expect(try foundInDumps() == 40) }
    }

    private func dumpNames() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: shell.directory)
            .filter { $0.hasPrefix("core") }
    }

    private func foundInDumps() throws -> Int {
        var all = Data()
        for name in try dumpNames() {
            all += FileManager.default.contents(atPath: shell.path(name)) ?? Data()
        }
        return Self.words.filter { all.range(of: Data($0.utf8)) != nil }.count
    }
}
