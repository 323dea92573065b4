import DivanTestKit
import Foundation
import Testing

/// What an editor prints and leaves behind.
@Suite struct EditorTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "db")
        try shell.run("put", "db", "one", #"{"n":1}"#)
        try shell.bash("mkdir tmp").expectSuccess()
    }

    private func edit(_ editor: String) throws -> Program.Outcome {
        try shell.divan(
            ["edit", "db", "one", "--json"],
            environment: ["EDITOR": editor, "VISUAL": "", "TMPDIR": shell.path("tmp")]
        )
    }

    private func filesLeft() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: shell.path("tmp")).count
    }

    @Test func `the editor's output goes to standard error`() throws {
        let outcome = try edit("echo hello; sed -i s/1/2/")
        outcome.expectSuccess()
        #expect(outcome.errors == "hello\n", "\(outcome)")
        #expect(try outcome.json()["id"] as? String == "one")
    }

    @Test func `an unchanged text is not kept`() throws {
        let failed = try edit("false")
        failed.expectFailure(1, "nothing was saved")
        #expect(!failed.errors.contains("your text is in"), "\(failed.errors)")
        #expect(try filesLeft() == 0)
        try edit("sh -c 'echo mine > $0; exit 1'").expectFailure(1, "your text is in")
        #expect(try filesLeft() == 1)
    }

    @Test func `without an editor and a terminal no file is left`() throws {
        try edit("").expectFailure(2, "no terminal")
        #expect(try filesLeft() == 0)
    }
}
