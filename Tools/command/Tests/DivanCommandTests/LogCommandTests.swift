import DivanLog
import DivanTestKit
import Foundation
import Testing

/// `divan log` reads what the file sink wrote.
@Suite struct LogCommandTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
    }

    private func writeTwoFiles() throws {
        try shell.write(
            "cbl_info_1.cbllog",
            """
            ---- serialNo=1,logDirectory=.,fileLogLevel=2,fileMaxSize=1024,fileMaxCount=2 ----
            ---- Divan ----
            2026-11-20T08:00:01.000001Z Sync Info first
            2026-11-20T08:00:03.000000Z DB Info third one
            ---- END ----

            """
        )
        try shell.write(
            "cbl_error_1.cbllog",
            "2026-11-20T08:00:02.000000Z Sync Error second\n"
                + "2026-11-20T08:00:04.000000Z WS Error fourth \u{1B}[2J\n"
        )
    }

    @Test func `log merges the files of a directory by time`() throws {
        try writeTwoFiles()
        let lines = try shell.run("log", ".").output.split(separator: "\n")
        let messages = lines.map { $0.split(separator: " ", maxSplits: 3)[3] }
        #expect(messages == ["first", "second", "third one", "fourth \\u{1b}[2J"])
    }

    @Test func `log filters by level, domain and time`() throws {
        try writeTwoFiles()
        let errors = try shell.run("log", ".", "--level", "warning").output
        #expect(errors.split(separator: "\n").count == 2)
        let sync = try shell.run("log", ".", "--domain", "sync,ws").output
        #expect(sync.split(separator: "\n").count == 3)
        let late = try shell.run("log", ".", "--since", "2026-11-20T08:00:03Z").output
        #expect(late.split(separator: "\n").count == 2)
        #expect(try shell.run("log", "cbl_info_1.cbllog").output.hasSuffix("third one\n"))
    }

    @Test func `log --json prints one object per line`() throws {
        try writeTwoFiles()
        let words = ["log", "cbl_info_1.cbllog", "--json", "--domain", "DB"]
        let row = try shell.divan(words).json()
        #expect(row["message"] as? String == "third one")
        #expect(row["level"] as? String == "Info")
        #expect(row["time"] as? String == "2026-11-20T08:00:03.000000Z")
    }

    @Test func `log reads the output of the file sink`() throws {
        let sink = try FileSink(level: .info, configuration: .init(directory: shell.path("logs")))
        sink.write(LogEntry(level: .info, domain: .sync, message: "two\nlines"))
        sink.write(LogEntry(level: .error, domain: .tls, message: "broken"))
        sink.close()
        let lines = try shell.run("log", "logs", "--since", "1h").output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0].hasSuffix("Z Sync Info two\\nlines"))
        #expect(lines[1].hasSuffix("Z TLS Error broken"))
    }

    @Test func `log errors have their exit codes`() throws {
        try shell.write("photo.jpg", "\u{1}\u{2}\u{3}")
        try FileManager.default.createDirectory(
            atPath: shell.path("empty"),
            withIntermediateDirectories: false
        )
        #expect(try shell.divan("log", "none").status == 3)
        #expect(try shell.divan("log", "empty").status == 3)
        #expect(try shell.divan("log", "photo.jpg").status == 4)
        #expect(try shell.divan("log", ".", "--level", "loud").status == 2)
        #expect(try shell.divan("log").status == 2)
    }
}
