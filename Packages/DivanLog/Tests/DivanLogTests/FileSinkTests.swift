import DivanLog
import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// Files of each level: their names, lines, lengths and number.
@Suite struct FileSinkTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test
    func `each level has its own file with header, lines and end`() throws {
        let sink = try FileSink(
            level: .info,
            configuration: .init(directory: directory.file("a/b"), product: "Divan 0.1.0")
        )
        Log(.sync, to: LogRouter(sinks: [sink])).warning("one\ntwo")
        sink.close()
        sink.close()

        let names = try names(in: "a/b")
        let levels = ["cbl_debug_", "cbl_error_", "cbl_info_", "cbl_verbose_", "cbl_warning_"]
        #expect(names.map { String($0.prefix { $0 != "1" }) } == levels)
        #expect(names.allSatisfy { $0.hasSuffix(".cbllog") })
        let lines = try lines("a/b/\(names[4])")
        let folder = directory.file("a/b")
        #expect(
            lines[0] == "---- serialNo=1,logDirectory=\(folder),fileLogLevel=2,"
                + "fileMaxSize=524288,fileMaxCount=2 ----"
        )
        #expect(lines[1] == "---- Divan 0.1.0 ----")
        let time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/
        #expect(lines[2].prefixMatch(of: time) != nil)
        #expect(lines[2].hasSuffix(#" Sync Warning one\ntwo"#))
        #expect(lines[3...] == ["---- END ----"])
        #expect(try self.lines("a/b/\(names[2])").count == 3)
    }

    @Test
    func `a full file is followed by the next, and the oldest are deleted`() throws {
        let configuration = FileSink.Configuration(
            directory: directory.path,
            keptFileCount: 3,
            fileByteCount: 0
        )
        #expect(configuration.fileByteCount == 1024)
        let sink = try FileSink(level: .error, configuration: configuration)
        let log = Log(.database, to: LogRouter(sinks: [sink]))
        for number in 0..<100 { log.error("entry \(number) \(String(repeating: "x", count: 80))") }
        sink.close()

        let names = try names(in: "").filter { $0.hasPrefix("cbl_error_") }
        #expect(names.count == 3)
        let text = try names.flatMap(lines)
        #expect(text.filter { $0.contains("---- END") }.count == 3)
        #expect(text.contains { $0.contains("entry 99 ") })
        #expect(!text.contains { $0.contains("entry 0 ") })
        #expect(sink.lostEntryCount == 0)
        log.error("after the end")
        #expect(sink.lostEntryCount == 1)
    }

    @Test
    func `a new file is not the oldest if the clock is set back`() throws {
        let later = ["4102444800000", "4102444800001", "9223372036854775807"]
        for start in later {
            let path = directory.file("cbl_error_\(start).cbllog")
            #expect(FileManager.default.createFile(atPath: path, contents: Data()))
        }
        let sink = try FileSink(
            level: .error,
            configuration: FileSink.Configuration(directory: directory.path, keptFileCount: 2)
        )
        Log(.database, to: LogRouter(sinks: [sink])).error("the mark")
        sink.close()
        let text = try names(in: "").filter { $0.hasPrefix("cbl_error_") }.flatMap(lines)
        #expect(text.contains { $0.contains("the mark") })
        #expect(sink.lostEntryCount == 0)
    }

    /// In a separate process, whose files cannot grow for a moment.
    @Test
    func `a line that was written only partially is removed`() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let sink = try FileSink(
                level: .error,
                configuration: FileSink.Configuration(directory: directory.path)
            )
            let log = Log(.database, to: LogRouter(sinks: [sink]))
            log.error("one")
            let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            let name = try #require(names.first { $0.hasPrefix("cbl_error_") })
            let path = directory.file(name)
            let byteCount = try Data(contentsOf: URL(fileURLWithPath: path)).count
            Signal.fileTooLarge.ignore()
            CurrentProcess.setFileByteLimit(UInt64(byteCount + 60))
            log.error("\(String(repeating: "x", count: 200))")
            CurrentProcess.setFileByteLimit(nil)
            log.error("two")
            sink.close()
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(!text.contains("xx") && text.contains(" DB Error two\n---- END ----\n"))
            #expect(sink.lostEntryCount == 1)
        }
    }

    @Test
    func `the next file starts right after the line that exceeds the limit`() throws {
        let configuration = FileSink.Configuration(
            directory: directory.file("logs"),
            fileByteCount: 0
        )
        let sink = try FileSink(level: .error, configuration: configuration)
        let log = Log(.database, to: LogRouter(sinks: [sink]))
        func files() throws -> [[String]] {
            try names(in: "logs").filter { $0.hasPrefix("cbl_error_") }.map {
                try lines("logs/\($0)")
            }
        }
        let long = String(repeating: "x", count: 2_000)
        log.error("short")
        #expect(try files().count == 1)
        log.error("\(long)")
        let both = try files()
        #expect(both.count == 2)
        #expect(both[0].count == 5 && both[0].last == "---- END ----")
        #expect(both[1].count == 2, "a header, and nothing so far")

        // If the file cannot be opened, each later line tries again.
        try FileManager.default.moveItem(
            atPath: directory.file("logs"),
            toPath: directory.file("away")
        )
        log.error("\(long)")
        log.error("lost")
        #expect(sink.lostEntryCount == 1)
        try FileManager.default.moveItem(
            atPath: directory.file("away"),
            toPath: directory.file("logs")
        )
        log.error("kept")
        sink.close()
        #expect(sink.lostEntryCount == 1)
        #expect(try files().last?.dropFirst(2).first?.hasSuffix("DB Error kept") == true)
        #expect(try files().count == 2)
    }

    @Test
    func `a directory that cannot be created is an error with its path`() throws {
        try Data().write(to: URL(filePath: directory.file("file")))
        let error = #expect(throws: LogFileError.self) {
            try FileSink(level: .info, configuration: .init(directory: directory.file("file/x")))
        }
        #expect(error?.errorNumber == Errno.notDirectory.rawValue)
        #expect(error?.description.hasPrefix("log file \(directory.path)/file/x: ") == true)
    }

    @Test
    func `a sink that continues another one appends to its files`() throws {
        let first = FileSink.Configuration(directory: directory.path, fileByteCount: 100_000)
        let old = try FileSink(level: .error, configuration: first)
        Log(.sync, to: LogRouter(sinks: [old])).error("one")
        var second = first
        second.keptFileCount = 5
        let new = FileSink(continuing: old, level: .info, configuration: second)
        Log(.sync, to: LogRouter(sinks: [new])).error("two")
        Log(.sync, to: LogRouter(sinks: [old])).error("on its way to the old one")
        new.close()
        Log(.sync, to: LogRouter(sinks: [old])).error("too late")
        #expect(old.lostEntryCount == 1)
        #expect(try names(in: "").count == 5, "one file a level")
        let errors = try names(in: "").filter { $0.hasPrefix("cbl_error_") }
        #expect(try errors.flatMap(lines).count == 6)
    }

    @Test
    func `sinks created at the same time do not share files`() throws {
        let configuration = FileSink.Configuration(directory: directory.path, keptFileCount: 100)
        let sinks = try (0..<20).map { _ in
            try FileSink(level: .error, configuration: configuration)
        }
        for (number, sink) in sinks.enumerated() {
            Log(.sync, to: LogRouter(sinks: [sink])).error("sink \(number)")
            sink.close()
        }
        let errors = try names(in: "").filter { $0.hasPrefix("cbl_error_") }
        #expect(errors.count == 20)
        for name in errors { #expect(try lines(name).count == 4, "header, product, entry, end") }
    }

    @Test
    func `the README example works`() throws {
        let router = LogRouter(sinks: [
            ConsoleSink(level: .error),
            try FileSink(level: .info, configuration: .init(directory: directory.path)),
        ])
        let log = Log(.listener, to: router)
        log.info("listening on port \(4984)")
        router.setSinks([])
        let names = try names(in: "").filter { $0.contains("info") }
        #expect(try names.flatMap(lines).contains { $0.contains("listening on port 4984") })
    }

    private func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.file(folder)).sorted()
    }

    private func lines(_ name: String) throws -> [String] {
        let text = try String(contentsOfFile: directory.file(name), encoding: .utf8)
        return text.split(separator: "\n").map(String.init)
    }
}
