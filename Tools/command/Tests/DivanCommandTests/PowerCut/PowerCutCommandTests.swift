import DivanTestKit
import Foundation
import Testing

/// The power is cut during verbs that replace whole files: the database is the old or the new one, complete.
///
/// `DIVAN_THOROUGH=1` tries every moment.
@Suite(.serialized) struct PowerCutCommandTests {
    private let shell: Shell
    private let home: TemporaryDirectory
    /// What a database contains, blobs too.
    private let content: String

    init() throws {
        shell = try Shell()
        home = try TemporaryDirectory()
        for (name, digits) in [("one", "11"), ("two", "22")] {
            let key = home.file(name)
            try Data(String(repeating: digits, count: 32).utf8).write(to: URL(filePath: key))
            let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
            try FileManager.default.setAttributes(mode, ofItemAtPath: key)
        }
        let blob = String(repeating: "a picture ", count: 15_000)
        try Data(blob.utf8).write(to: URL(filePath: home.file("blob")))
        try shell.run("new", "db")
        try shell.run("put", "db", "photo", #"{"n":1}"#, "--blob", "b=" + home.file("blob"))
        let text = String(repeating: "-", count: 900)
        let lines = (0..<40).map { #"{"_id":"d\#($0)","n":\#($0),"text":"\#(text)"}"# }
        try shell.divan(["import", "db", "-"], input: lines.joined(separator: "\n")).expectSuccess()
        try shell.run("index", "make", "db", "byN", "n")
        content = try shell.run("export", "db", "--blobs").output
    }

    /// Runs verbs, and records what they do.
    private func record(_ verbs: [[String]]) throws -> PowerLog {
        var log = try PowerLog(before: shell.directory)
        var environment = try preload()
        environment["DIVAN_POWER_ROOT"] = shell.directory
        for (index, words) in verbs.enumerated() {
            let file = home.file("log-\(index)")
            try Data().write(to: URL(filePath: file))
            environment["DIVAN_POWER_LOG"] = file
            try shell.divan(words, environment: environment).expectSuccess()
            let record = Array(try Data(contentsOf: URL(filePath: file)))
            log.add(record, thenMark: index + 1)
        }
        return log
    }

    /// The library is compiled outside of the folder that is recorded.
    private func preload() throws -> [String: String] {
        let environment = try shell.preloading("power_log")
        let library = home.file("power_log.so")
        let built = try #require(environment["LD_PRELOAD"])
        try FileManager.default.moveItem(atPath: built, toPath: library)
        return ["LD_PRELOAD": library]
    }

    /// Cuts the power at some moments, or all of them.
    private func forEachMoment(
        of log: PowerLog,
        stride: Int,
        _ check: (_ endedCount: Int, _ place: String) throws -> Void
    ) throws {
        let isThorough = ProcessInfo.processInfo.environment["DIVAN_THOROUGH"] != nil
        let seed = TestSeed.choose(below: 1_000_000)
        var generator = SeededGenerator(seed: seed)
        var moment = Int.random(in: 0..<stride, using: &generator)
        while moment < log.count {
            let endedCount = try log.restore(at: moment, using: &generator)
            try check(endedCount, "seed \(seed), moment \(moment) of \(log.count)")
            moment += isThorough ? 1 : Int.random(in: 1...stride, using: &generator)
        }
        let endedCount = try log.restore(at: log.count - 1, using: &generator)
        try check(endedCount, "seed \(seed), at the end")
    }

    /// Expects that a database can be opened, is intact, and contains everything.
    private func expectComplete(_ database: String, _ key: [String], _ place: String) throws {
        #expect(
            try shell.divan(["export", database, "--blobs"] + key).output == content,
            "\(place)"
        )
        let check = try shell.divan(["check", database] + key)
        #expect(check.status == 0, "\(place): \(check)")
        let query = "SELECT COUNT(*) AS c FROM _ WHERE n >= 0"
        let found = try shell.divan(["query", database, query, "--json"] + key)
        #expect(found.output.contains("41"), "\(place): \(found)")
    }

    @Test func `a power cut during a key change leaves exactly one valid key`() throws {
        let keys = [
            [], ["--key-file", home.file("one")], ["--key-file", home.file("two")], [],
        ]
        let log = try record([
            ["encrypt", "db"] + keys[1],
            ["rekey", "db", "--new-key-file", home.file("two")] + keys[1],
            ["decrypt", "db", "--yes"] + keys[2],
        ])
        try forEachMoment(of: log, stride: TestLength.of(60, long: 25)) { endedCount, place in
            let candidates = [keys[endedCount], keys[min(endedCount + 1, 3)]]
            let opening = try candidates.filter { try shell.divan(["ls", "db"] + $0).status == 0 }
            let key = try #require(opening.first, "\(place): no key opens it")
            #expect(Set(opening).count == 1, "\(place)")
            try expectComplete("db", key, place)
        }
    }

    @Test(arguments: [["cp", "db", "again"], ["restore", "again", "dump"]])
    func `a new database is complete or missing after a power cut`(verb: [String]) throws {
        try shell.run("dump", "db", "dump")
        let log = try record([verb])
        try forEachMoment(of: log, stride: TestLength.of(30, long: 12)) { endedCount, place in
            let path = shell.path("again.cblite2")
            if FileManager.default.fileExists(atPath: path) {
                try expectComplete("again", [], place)
            } else {
                #expect(endedCount == 0, "\(place): it was acknowledged")
                try shell.divan(verb).expectSuccess()
            }
        }
    }

    @Test func `a power cut during compact or upgrade loses no document`() throws {
        let log = try record([
            ["compact", "db"], ["upgrade", "db", "--yes"],
            ["index", "make", "db", "byText", "text"],
            ["compress", "db"], ["compact", "db"],
        ])
        try forEachMoment(of: log, stride: TestLength.of(60, long: 25)) { _, place in
            try expectComplete("db", [], place)
        }
    }
}
