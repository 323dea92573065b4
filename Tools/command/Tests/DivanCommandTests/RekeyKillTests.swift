import DivanTestKit
import Foundation
import Testing

/// A change of the key whose process is killed at any moment: one key opens everything afterwards.
///
/// `DIVAN_REKEY_KILLS` sets how often.
@Suite struct RekeyKillTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
    }

    @Test func `a kill during rekey leaves the old key or the new one, never both or none`() throws
    {
        let count =
            ProcessInfo.processInfo.environment["DIVAN_REKEY_KILLS"].flatMap { Int($0) } ?? 12
        let seed = TestSeed.choose(below: 1_000_000)
        var generator = SeededGenerator(seed: seed)
        for (number, byte) in ["5c", "c5"].enumerated() {
            try shell.write("key-\(number)", String(repeating: byte, count: 32))
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600],
                ofItemAtPath: shell.path("key-\(number)")
            )
        }
        try shell.run("new", "db", "--encrypt", "--key-file", "key-0")
        let lines = (0..<300).map {
            #"{"_id":"d\#($0)","text":"\#(String(repeating: "x", count: 500))"}"#
        }
        try shell.write("lines", lines.joined(separator: "\n"))
        try shell.run("import", "db", "lines", "--key-file", "key-0")
        try shell.write("photo", String(repeating: "photo ", count: 40_000))
        try shell.run("blob", "put", "db", "d1", "photo", "photo", "--key-file", "key-0")
        var current = 0
        for number in 0..<count {
            let milliseconds = Int.random(in: 20...300, using: &generator)
            _ = try shell.bash(
                "timeout -s KILL \(Double(milliseconds) / 1_000) divan rekey db "
                    + "--key-file key-\(current) --new-key-file key-\(1 - current) || true"
            )
            let place = "seed \(seed), kill \(number) after \(milliseconds) ms"
            let opening = try (0...1).filter {
                try shell.divan("check", "db", "--key-file", "key-\($0)").status == 0
            }
            #expect(opening.count == 1, "\(place): keys \(opening)")
            current = try #require(opening.first)
            let listed = try shell.divan("ls", "db", "--key-file", "key-\(current)")
            #expect(listed.lines.count == 300, "\(place)")
        }
    }
}
