import DivanTestKit
import Foundation
import Testing

/// Anything that exists already, or was changed by somebody else first, ends a verb in the same way.
@Suite struct ExistingTargetTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "db")
        try shell.run("put", "db", "one", "{}")
    }

    private func expectConflict(
        _ words: String...,
        saying sentence: String,
        location: SourceLocation = #_sourceLocation
    ) throws {
        try shell.divan(words).expectFailure(10, sentence, location: location)
        guard words[0] != "edit" else { return }
        let errors = try shell.divan(words + ["--json"]).errors
        #expect(
            errors.contains(#""exit":10,"#) && errors.contains(#""kind":"conflict","#),
            "\(errors)",
            sourceLocation: location
        )
    }

    @Test func `an existing database or file is not overwritten`() throws {
        try shell.run("new", "other")
        try shell.run("dump", "db", "db.dump")
        try shell.run("cp", "db", "db.jsonl")
        try expectConflict("new", "db", saying: "db.cblite2 already exists")
        try expectConflict("cp", "db", "other", saying: "already")
        try expectConflict("cp", "db", "db.jsonl", saying: "db.jsonl already exists")
        try expectConflict("cp", "db.jsonl", "other", saying: "already")
        try expectConflict("restore", "other", "db.dump", saying: "already")
    }

    @Test func `an existing document, user or identity is not overwritten`() throws {
        try shell.write("secret", "open sesame\n")
        let anna = ["users", "add", "users.json", "anna", "--password-file", "secret"]
        try shell.divan(anna).expectSuccess()
        try shell.divan(anna).expectFailure(10, "--replace")
        try shell.run("identity", "new", "a", "--key", "p256")
        try expectConflict("identity", "new", "a", saying: "'divan identity rm a'")
        try shell.run("identity", "export", "a", "--pem", "a.pem", "--no-password")
        try expectConflict("identity", "import", "a", "a.pem", saying: "'divan identity rm a'")
        try expectConflict(
            "identity",
            "export",
            "a",
            "--pem",
            "a.pem",
            "--no-password",
            saying: "a.pem already exists"
        )
        try expectConflict("put", "db", "one", "{}", "--create", saying: "exists")
    }

    @Test func `a conflicting write reports the current revision`() throws {
        try expectConflict(
            "put",
            "db",
            "one",
            "{}",
            "--over",
            "1-aa",
            saying: ", not 1-aa"
        )
        try expectConflict(
            "put",
            "db",
            "one",
            "{}",
            "--over",
            "none",
            saying: "already exists (revision 1-"
        )
    }
}
