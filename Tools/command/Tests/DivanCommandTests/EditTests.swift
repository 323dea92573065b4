import DivanTestKit
import Foundation
import Testing

/// `divan edit` with editors that are shell commands.
@Suite struct EditTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "db")
        try shell.run("put", "db", "one", #"{"n":1,"t":"old"}"#)
    }

    private func edit(_ words: String..., editor: String) throws -> Program.Outcome {
        try shell.divan(
            ["edit", "db"] + words,
            environment: ["EDITOR": editor, "VISUAL": "", "TMPDIR": shell.directory]
        )
    }

    /// The text that a failed command reports to have kept.
    private func keptText(_ outcome: Program.Outcome) throws -> String {
        let line = outcome.complaints.last { $0.hasPrefix("divan: ") }
        let words = try #require(line).split(separator: " ")
        let file = try #require(words.last.map(String.init))
        #expect(file.hasPrefix(shell.directory))
        return try String(contentsOfFile: file, encoding: .utf8)
    }

    private func expectNoFilesLeft() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: shell.directory)
        #expect(!names.contains { $0.hasPrefix("divan-edit") })
    }

    @Test func `the text that the editor writes is saved`() throws {
        let outcome = try edit("one", editor: "sed -i s/old/new/")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("revision 2-"))
        #expect(try shell.run("cat", "db", "one", "--raw").output == "{\"n\":1,\"t\":\"new\"}\n")
        try expectNoFilesLeft()
    }

    @Test func `an edit keeps all digits of other numbers`() throws {
        let digits = "123456789012345678901234567890"
        try shell.run("put", "db", "two", #"{"n":\#(digits),"t":"old"}"#)
        try edit("two", editor: "sed -i s/old/new/").expectSuccess()
        let body = try shell.run("get", "db", "two", "--raw").output
        #expect(body == "{\"n\":\(digits),\"t\":\"new\"}\n")
    }

    @Test func `VISUAL takes precedence over EDITOR`() throws {
        let outcome = try shell.divan(
            ["edit", "db", "one"],
            environment: ["EDITOR": "false", "VISUAL": "sed -i s/old/seen/"]
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test func `vi is not started without a terminal`() throws {
        try edit("one", editor: "").expectFailure(2, "vi requires a terminal")
        try expectNoFilesLeft()
    }

    @Test func `an unchanged text creates no revision`() throws {
        let outcome = try edit("one", editor: "true")
        #expect(outcome.status == 0)
        #expect(outcome.errors == "No changes\n")
        try expectNoFilesLeft()
    }

    @Test func `invalid JSON is kept in a file that the error names`() throws {
        let outcome = try edit("one", editor: "echo '{\"mine\":' >")
        #expect(outcome.status == 4)
        #expect(outcome.errors.contains("invalid text: JSON at byte"))
        #expect(try keptText(outcome) == "{\"mine\":\n")
        #expect(try shell.run("get", "db", "one", "--raw").output.contains("old"))
    }

    @Test func `a concurrent save keeps the edited text and the other revision`() throws {
        try shell.write(
            "editor.sh",
            "\"\(Shell.divan.path)\" put db one '{\"by\":\"other\"}'\nsed -i s/old/mine/ $1\n"
        )
        let outcome = try edit("one", editor: "sh editor.sh")
        #expect(outcome.status == 10)
        #expect(outcome.errors.contains("document 'one' was changed in the meantime (revision 2-"))
        #expect(try keptText(outcome).contains("mine"))
        #expect(try shell.run("get", "db", "one", "--raw").output == "{\"by\":\"other\"}\n")
    }

    @Test func `a concurrent deletion keeps the edited text`() throws {
        try shell.write("editor.sh", "\"\(Shell.divan.path)\" rm db one\nsed -i s/1/2/ $1\n")
        let outcome = try edit("one", editor: "sh editor.sh")
        #expect(outcome.status == 10)
        #expect(try keptText(outcome).contains("\"n\": 2"))
        #expect(try shell.divan("get", "db", "one").status == 3)
    }

    @Test func `a database in use is edited through the process that has it open`() throws {
        let server = try shell.serve("db", "--no-tls")
        _ = try server.url()
        let outcome = try edit("one", editor: "sed -i s/old/mine/")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("Saved one, revision 2-"))
        #expect(try shell.run("get", "db", "one").output.contains("mine"))
        server.stop()
    }

    @Test func `an editor that fails saves nothing`() throws {
        let outcome = try edit("one", editor: "false")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("exited with status 1"))
    }

    @Test func `a missing document is created only with --create`() throws {
        #expect(try edit("two", editor: "true").status == 3)
        let outcome = try edit("two", "--create", editor: "echo '{\"n\":2}' >")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try shell.run("get", "db", "two", "--raw").output == "{\"n\":2}\n")
    }

    @Test func `a deleted document can be created again`() throws {
        try shell.run("rm", "db", "one")
        let outcome = try edit("one", "--create", editor: "echo '{\"n\":3}' >")
        #expect(outcome.errors.contains("revision 3-"), "\(outcome.errors)")
    }
}
