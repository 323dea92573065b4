import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// `divan users`: who is let in, in a file that reveals no password.
@Suite(.timeLimit(.minutes(5))) struct UserCommandTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.write("secret.txt", "open sesame\nsecond line\n")
        try shell.write("wrong.txt", "open barley\n")
    }

    private func add(_ name: String, _ options: String...) throws -> Program.Outcome {
        try shell.divan(
            ["users", "add", "users.json", name, "--password-file", "secret.txt"] + options
        )
    }

    private func verify(_ name: String, _ file: String) throws -> Program.Outcome {
        try shell.divan("users", "verify", "users.json", name, "--password-file", file)
    }

    @Test func `a user is added, verified, changed and removed`() throws {
        try add("anna").expectSuccess()
        try verify("anna", "secret.txt").expectSuccess()
        try verify("anna", "wrong.txt").expectFailure(7, "wrong password for anna")
        try add("anna").expectFailure(10, "--replace")
        try shell.divan(
            ["users", "add", "users.json", "anna", "--replace"],
            environment: ["DIVAN_PASSWORD": "open barley"]
        ).expectSuccess()
        try verify("anna", "secret.txt").expectFailure(7)
        try verify("anna", "wrong.txt").expectSuccess()
        try shell.run("users", "rm", "users.json", "anna")
        #expect(try shell.run("users", "ls", "users.json").output.isEmpty)
        try verify("anna", "wrong.txt").expectFailure(3, "user 'anna' not found", "users ls")
    }

    @Test func `rights are stored and listed`() throws {
        try add("anna", "--read-only", "--collections", "geo.places,notes").expectSuccess()
        try add("bo").expectSuccess()
        #expect(
            try shell.run("users", "ls", "users.json").output == """
                anna  can read geo.places, notes
                bo    can read and write all shared collections

                """
        )
        let lines = try shell.run("users", "ls", "users.json", "--json").output
        #expect(
            lines.hasPrefix(
                #"{"collections":["geo.places","notes"],"name":"anna","readOnly":true}"# + "\n"
            )
        )
    }

    @Test func `a condition is validated, stored and listed`() throws {
        try add("anna", "--where", "owner = $user").expectSuccess()
        #expect(
            try shell.run("users", "ls", "users.json").output
                == "anna  can read and write all shared collections where owner = $user\n"
        )
        let line = try shell.run("users", "ls", "users.json", "--json").output
        #expect(line.contains(#""where":"owner = $user""#))
        try add("bo", "--where", "owner =").expectFailure(4, "bo", "column")
        try add("bo", "--where", "owner = $me").expectFailure(4, "$me")
        try add("bo", "--where", "COUNT(*) > 1").expectFailure(4, "COUNT")
        #expect(try !shell.text("users.json").contains("bo"))
        // Somebody edited it: nobody gets rights that nobody meant to grant.
        let broken = try shell.text("users.json").replacing("$user", with: "")
        try shell.write("broken.json", broken)
        try FileSystem.setPermissions(0o600, of: shell.path("broken.json"))
        try shell.run("new", "db")
        try shell.divan("serve", "db", "--users", "broken.json").expectFailure(4, "anna")
    }

    @Test func `the users file contains no password and is readable by its owner only`() throws {
        try add("anna").expectSuccess()
        let text = try shell.text("users.json")
        #expect(!text.contains("sesame") && text.contains("$scrypt$ln=14,r=8,p=5$"))
        let attributes = try FileManager.default.attributesOfItem(atPath: shell.path("users.json"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        try FileSystem.setPermissions(0o640, of: shell.path("users.json"))
        for words in [["ls"], ["rm", "anna"], ["verify", "anna"], ["add", "bo"]] {
            let line = ["users", words[0], "users.json"] + words.dropFirst()
            try shell.divan(line, environment: ["DIVAN_PASSWORD": "x"])
                .expectFailure(4, "users.json", "mode 640", "chmod 600")
        }
        try shell.run("new", "db")
        try shell.divan("serve", "db", "--users", "users.json").expectFailure(4, "chmod 600")
    }

    @Test func `concurrent additions are all stored`() throws {
        let outcome = try shell.bash(
            """
            for name in a b c d; do
                DIVAN_PASSWORD=$name divan users add users.json $name &
            done
            wait
            divan users ls users.json | cut -d' ' -f1
            """
        )
        #expect(outcome.output == "a\nb\nc\nd\n", "\(outcome.errors)")
        let left = try FileManager.default.contentsOfDirectory(atPath: shell.directory)
        #expect(!left.contains { $0.hasSuffix(".tmp") })
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"users":[]}"#, #"{"users":{"a":{}}}"#,
        #"{"users":{"a":{"password":"open sesame"}}}"#, #"{"users":{},"more":1}"#,
        #"{"users":{"a":{"password":"$scrypt$ln=4,r=1,p=1$c2FsdHNhbHQ$a2V5a2V5a2V5","readonly":true}}}"#,
        #"{"users":{"a":{"password":"$scrypt$ln=4,r=1,p=1$c2FsdHNhbHQ$a2V5a2V5a2V5","readOnly":1}}}"#,
        #"{"users":{"a":{"password":"$scrypt$ln=4,r=1,p=1$c2FsdHNhbHQ$a2V5a2V5a2V5","collections":"x"}}}"#,
    ])
    func `a damaged users file is rejected`(_ text: String) throws {
        try shell.write("users.json", text)
        try FileSystem.setPermissions(0o600, of: shell.path("users.json"))
        try shell.divan("users", "ls", "users.json").expectFailure(4, "users.json: ")
    }

    @Test func `usage errors of users are explained`() throws {
        try shell.divan("users").expectFailure(2, "users add", "users verify")
        try shell.divan("users", "add", "users.json").expectFailure(2, "missing argument NAME")
        try shell.divan("users", "add", "users.json", "x").expectFailure(2, "DIVAN_PASSWORD")
        try shell.divan(
            ["users", "add", "users.json", "x"],
            environment: ["DIVAN_PASSWORD": ""]
        ).expectFailure(4, "empty")
        try add("a:b").expectFailure(2, "colon")
        try add("a", "--collections", "x.y.z").expectFailure(4, "x.y.z")
        try shell.divan("users", "ls", "missing.json").expectFailure(3, "missing.json", "add")
        try shell.divan("users", "rm", "missing.json", "x").expectFailure(3, "missing.json")
        try add("a").expectSuccess()
        try shell.divan("users", "rm", "users.json", "b").expectFailure(3, "user 'b' not found")
        try shell.divan("users", "rm", "users.json").expectFailure(2, "missing argument NAME")
    }
}
