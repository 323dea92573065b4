import DivanTestKit
import Foundation
import Testing

/// An output file changes completely or not at all, and keeps its other properties.
@Suite struct OutputFileTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.write("photo.png", "a picture")
        try shell.run("new", "db")
        try shell.run("put", "db", "one", "{}", "--blob", "photo=photo.png")
        try shell.write("secret.txt", "open sesame\n")
        try shell.run("users", "add", "users.json", "anna", "--password-file", "secret.txt")
        try shell.run("identity", "new", "robot", "--key", "p256")
    }

    /// Verbs that write a file, with FILE in place of its name.
    private static let writers = [
        "export db FILE", "blob get db one photo FILE",
        "pull db ws://127.0.0.1:1/x --report FILE", "dump db FILE",
    ]

    private func write(_ line: String, to file: String) throws -> Program.Outcome {
        try shell.bash("divan \(line.replacing("FILE", with: file)) || test $? = 6")
    }

    private func mode(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: shell.path(name))
        return try #require(attributes[.posixPermissions] as? Int)
    }

    @Test(arguments: writers)
    func `an overwritten file keeps its permissions`(_ line: String) throws {
        for mode in [0o600, 0o640, 0o666] {
            try shell.write("out", "what was there before, which is longer than all that comes")
            try FileManager.default.setAttributes(
                [.posixPermissions: mode],
                ofItemAtPath: shell.path("out")
            )
            try write(line, to: "out").expectSuccess()
            #expect(try self.mode("out") == mode)
            #expect(try !shell.text("out").contains("before"))
        }
    }

    /// Only a file that is replaced as a whole is unchanged after a failure.
    @Test func `a full device is not reported as unchanged`() throws {
        for line in ["export db /dev/full", "dump db /dev/full", "get db one >/dev/full"] {
            let outcome = try shell.bash("divan \(line) || test $? = 5")
            #expect(outcome.errors.contains("No space left on device"), "\(line)")
            #expect(!outcome.errors.contains("is unchanged"), "\(line)")
        }
    }

    @Test(arguments: writers)
    func `a symbolic link is followed and kept`(_ line: String) throws {
        try shell.write("real", "before")
        _ = try shell.bash("mkdir below; ln -s ../real below/link; ln -s later below/nowhere")
        try write(line, to: "below/link").expectSuccess()
        #expect(try shell.text("real") != "before")
        try write(line, to: "below/nowhere").expectSuccess()
        #expect(try !shell.text("below/later").isEmpty)
        let files = try FileManager.default.contentsOfDirectory(atPath: shell.path("below"))
        #expect(files.sorted() == ["later", "link", "nowhere"])
        for link in ["link", "nowhere"] {
            let path = shell.path("below/\(link)")
            #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil)
        }
    }

    @Test(arguments: writers)
    func `output can be written to a pipe`(_ line: String) throws {
        let words = line.replacing("FILE", with: "pipe")
        let outcome = try shell.bash(
            "mkfifo pipe; cat pipe >out & divan \(words) || test $? = 6; wait; test -p pipe"
        )
        outcome.expectSuccess()
        #expect(try !shell.text("out").isEmpty)
        let through = try write(line, to: "/dev/stdout")
        #expect(!through.output.isEmpty && through.status == 0, "\(through)")
    }

    @Test(arguments: writers)
    func `a file without write permission is reported`(_ line: String) throws {
        let outcome = try write(line, to: "/sys/kernel/divan")
        #expect(outcome.status == 1, "neither written nor without a peer: \(outcome)")
        #expect(outcome.errors.contains("/sys/kernel/divan: "), "\(outcome)")
    }

    @Test func `a full disk keeps the existing file`() throws {
        let disk = try SmallDisk(shell)
        let (out, photo) = (shell.path("disk/out"), shell.path("disk/photo"))
        #expect(try disk.divan("export", "db", out).status == 0)
        #expect(try disk.divan("blob", "get", "db", "one", "photo", photo).status == 0)
        let line = "{\"text\":\"\(String(repeating: "0123456789", count: 400))\"}\n"
        try shell.write("many.jsonl", String(repeating: line, count: 1000))
        try shell.run("import", "db", "many.jsonl")
        try shell.run("blob", "put", "db", "one", "large", "many.jsonl")
        let words = [
            ["export", "db", out], ["blob", "get", "db", "one", "large", photo],
        ]
        for words in words {
            try disk.divan(words).expectFailure(5, words[words.count - 1], "No space left")
        }
        #expect(try disk.run("cat", photo).output == "a picture")
        #expect(try disk.run("wc", "-l", out).output.hasPrefix("1 "))
        let names = try disk.run("ls", "-A", shell.path("disk")).output
        #expect(names == "out\nphoto\n", "no draft is left")
    }

    @Test func `on a full disk the number of written files is reported`() throws {
        let disk = try SmallDisk(shell)
        let line = "{\"text\":\"\(String(repeating: "0123456789", count: 4_000))\"}\n"
        try shell.write("many.jsonl", String(repeating: line, count: 100))
        try shell.run("import", "db", "many.jsonl")
        let outcome = try disk.divan("export", "db", shell.path("disk"))
        outcome.expectFailure(5, "No space left", "the output is incomplete")
        let count = try disk.run("ls", shell.path("disk")).lines.count
        #expect(
            outcome.errors.contains("; exported \(count) documents before it"),
            "\(count): \(outcome)"
        )
    }

    @Test func `a users file behind a symbolic link is updated in place`() throws {
        _ = try shell.bash(
            "mkdir etc; mv users.json etc/users.json; ln -s etc/users.json users.json"
        )
        try shell.run("users", "add", "users.json", "ali", "--password-file", "secret.txt")
        #expect(try shell.text("etc/users.json").contains("ali"))
        #expect(try mode("etc/users.json") == 0o600)
        #expect(try shell.bash("test -L users.json").status == 0)
    }

    @Test func `exporting a key never overwrites a file`() throws {
        try shell.write("robot.p12", "before")
        let export = ["identity", "export", "robot", "--password-file", "secret.txt"]
        try shell.divan(export + ["--p12", "robot.p12"]).expectFailure(10, "robot.p12", "exists")
        #expect(try shell.text("robot.p12") == "before")
        try shell.divan(export + ["--p12", "new.p12"]).expectSuccess()
        #expect(try mode("new.p12") == 0o600)
        let line = export.joined(separator: " ")
        let piped = try shell.bash("divan \(line) --pem /dev/stdout | cat")
        #expect(piped.output.contains("ENCRYPTED PRIVATE KEY"), "\(piped)")
    }

    @Test func `documents in a directory are replaced one by one`() throws {
        _ = try shell.bash("mkdir out; echo before >out/one.json; chmod 600 out/one.json")
        try shell.run("export", "db", "out")
        #expect(try mode("out/one.json") == 0o600)
        #expect(try shell.text("out/one.json").contains("\"_id\":\"one\""))
        #expect(try FileManager.default.contentsOfDirectory(atPath: shell.path("out")).count == 1)
    }

    @Test func `a file name can start with a combining mark`() throws {
        _ = try shell.bash("mkdir below; mkdir real; ln -s real link")
        for directory in ["below", "link"] {
            let file = "\(directory)/\u{301}x.jsonl"
            try shell.run("export", "db", file)
            #expect(try !shell.text(file).isEmpty)
        }
        for name in ["new/\u{301}db", "link/\u{301}db"] {
            try shell.run("new", name)
            try shell.run("put", name, "one", "{}")
            #expect(try shell.run("ls", name).output.contains("one"))
        }
    }
}
