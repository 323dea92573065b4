import DivanTestKit
import Foundation
import Testing

/// Document IDs that look alike but have different bytes, with the verbs that compare them.
@Suite(.timeLimit(.minutes(5))) struct SpellingTests {
    private static let spellings = ["A\u{30A}", "\u{C5}", "\u{212B}"]
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "a")
        try shell.run("new", "b")
        for (number, id) in Self.spellings.enumerated() {
            try shell.run("put", "a", id, "{\"n\":\(number)}")
        }
    }

    @Test func `compare distinguishes IDs that differ only in Unicode form`() throws {
        for (number, id) in Self.spellings.dropLast().enumerated() {
            try shell.run("put", "b", id, "{\"n\":\(number)}")
        }
        let outcome = try shell.divan("compare", "a", "b")
        #expect(outcome.status == 9)
        let missing = "_default/\(Self.spellings[2]): only in a"
        #expect(Data(outcome.output.utf8).range(of: Data(missing.utf8)) != nil)
        try shell.run("put", "b", Self.spellings[2], "{\"n\":2}")
        #expect(try shell.divan("compare", "a", "b").status == 0)
    }

    @Test func `export and import keep IDs that differ only in Unicode form`() throws {
        try shell.run("export", "a", "all.jsonl")
        try shell.run("import", "b", "all.jsonl")
        #expect(try shell.divan("compare", "a", "b").status == 0)
        let listed = Array(try shell.run("ls", "b").output.utf8)
        #expect(listed == Array((Self.spellings.joined(separator: "\n") + "\n").utf8))
    }

    @Test func `pending and push handle IDs that differ only in Unicode form`() throws {
        let server = try shell.serve("b", "--no-tls")
        let url = try server.url()
        #expect(try shell.run("pending", "a", url, "--count").output == "3  \(url)\n")
        try shell.run("push", "a", url)
        #expect(try shell.run("pending", "a", url, "--count").output == "0  \(url)\n")
        try shell.run("put", "a", Self.spellings[1], "{}")
        let line = Array("_default/\(Self.spellings[1])\n".utf8)
        #expect(try Array(shell.run("pending", "a", url).output.utf8) == line)
        server.stop()
        #expect(try shell.run("ls", "b").output.utf8.count { $0 == UInt8(ascii: "\n") } == 3)
    }

    @Test func `a prefix is matched byte by byte`() throws {
        #expect(
            try Array(shell.run("ls", "a", "A").output.utf8) == Array("A\u{30A}\n".utf8)
        )
        #expect(
            try Array(shell.run("ls", "a", "\u{C5}").output.utf8) == Array("\u{C5}\n".utf8)
        )
    }

    @Test func `users whose names look alike are different users`() throws {
        for (number, name) in Self.spellings.enumerated() {
            try shell.write("secret.txt", "open sesame \(number)\n")
            try shell.run("users", "add", "users.json", name, "--password-file", "secret.txt")
        }
        try shell.run(
            "users",
            "verify",
            "users.json",
            Self.spellings[2],
            "--password-file",
            "secret.txt"
        )
        #expect(
            try shell.divan(
                "users",
                "verify",
                "users.json",
                Self.spellings[0],
                "--password-file",
                "secret.txt"
            ).status == 7
        )
        let names = try shell.run("users", "ls", "users.json").output
        #expect(names.utf8.count { $0 == UInt8(ascii: "\n") } == 3)
    }
}
