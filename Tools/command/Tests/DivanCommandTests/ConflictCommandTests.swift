import DivanTestKit
import Foundation
import Testing

/// `--conflicts` and `divan conflicts`: who decides, and when.
@Suite(.timeLimit(.minutes(5))) struct ConflictCommandTests {
    private let shell: Shell

    /// `both` is known to both `a` and `b`, and was then changed by each of them.
    init() throws {
        shell = try Shell()
        for name in ["a", "b"] { try shell.run("new", name) }
        try shell.run("put", "a", "both", #"{"name":"Rome","stars":3}"#)
        let server = try shell.serve("a", "--no-tls")
        try shell.run("sync", "b", try server.url())
        server.stop()
        try shell.run("put", "a", "both", #"{"name":"Roma","stars":3}"#)
        try shell.run("put", "b", "both", #"{"name":"Rome","open":true,"stars":4}"#)
    }

    private func sync(_ options: String...) throws -> Program.Outcome {
        let server = try shell.serve("a", "--no-tls")
        defer { server.stop() }
        return try shell.divan(["sync", "b", try server.url()] + options)
    }

    /// Leaves the conflict open in `b`.
    private func leave() throws {
        try sync("--conflicts", "leave").expectFailure(
            8,
            "1 conflict left unresolved",
            "conflicts ls b"
        )
    }

    private func expectEqual(_ body: String) throws {
        #expect(try shell.run("get", "b", "both", "--raw").output == body + "\n")
        #expect(try shell.run("get", "a", "both", "--raw").output == body + "\n")
        try shell.run("compare", "a", "b")
    }

    @Test(arguments: [
        ("local", #"{"name":"Rome","open":true,"stars":4}"#, "kept the local revision"),
        ("remote", #"{"name":"Roma","stars":3}"#, "kept the remote revision"),
        ("merge", #"{"name":"Roma","open":true,"stars":4}"#, "merged both revisions"),
    ])
    func `sync --conflicts resolves a conflict at once`(
        _ choice: String,
        _ body: String,
        _ words: String
    ) throws {
        let outcome = try sync("--conflicts", choice)
        outcome.expectSuccess()
        #expect(outcome.errors.contains("Conflict in both: \(words)"), "\(outcome.errors)")
        try expectEqual(body)
    }

    @Test func `an unresolved conflict is listed and shown with both sides and the tree`() throws {
        #expect(try shell.run("conflicts", "ls", "b").output.isEmpty)
        try leave()
        let line = try shell.run("conflicts", "ls", "b").output
        #expect(line.hasPrefix("_default/both  ours 2-"), "\(line)")
        let page = try shell.run("conflicts", "show", "b", "both").output
        #expect(page.contains("in conflict"))
        #expect(page.contains("ancestor 1-"))
        #expect(page.contains(#"  + "open": true"#) && page.contains(#"  ~ "stars": 4"#))
        #expect(page.contains(#"  ~ "name": "Roma""#), "\(page)")
        let object = try shell.run("conflicts", "show", "b", "both", "--json").json()
        #expect((object["local"] as? [String: Any])?["deleted"] as? Bool == false)
        #expect((object["revisions"] as? [Any])?.count == 3)
        #expect(try shell.run("get", "b", "both", "--raw").output.contains(#""stars":4"#))
    }

    @Test func `a conflict of version vectors is shown with both sides and their revisions`() throws
    {
        for name in ["a", "b"] { try shell.run("upgrade", name, "--yes") }
        try leave()
        let page = try shell.run("conflicts", "show", "b", "both").output
        #expect(page.contains("● ") && page.contains("current"), "\(page)")
        #expect(page.contains(#""name": "Roma""#), "\(page)")
        let object = try shell.run("conflicts", "show", "b", "both", "--json").json()
        #expect((object["revisions"] as? [Any])?.isEmpty == false)
    }

    @Test(arguments: [
        ("--local", #"{"name":"Rome","open":true,"stars":4}"#),
        ("--remote", #"{"name":"Roma","stars":3}"#),
        ("--merge", #"{"name":"Roma","open":true,"stars":4}"#),
    ])
    func `conflicts resolve ends a conflict, and the next sync sends the result`(
        _ way: String,
        _ body: String
    ) throws {
        try leave()
        let preview = try shell.run("conflicts", "resolve", "b", "both", way, "--dry-run")
        #expect(preview.output == body + "\n")
        #expect(try !shell.run("conflicts", "ls", "b").output.isEmpty)
        try shell.run("conflicts", "resolve", "b", "both", way)
        #expect(try shell.run("conflicts", "ls", "b").output.isEmpty)
        try sync().expectSuccess()
        try expectEqual(body)
    }

    @Test func `a merge lists the values that it does not keep`() throws {
        try leave()
        let harmless = try shell.run("conflicts", "resolve", "b", "both", "--merge", "--json")
        #expect((try harmless.json()["lost"] as? [Any])?.isEmpty == true)
        try sync().expectSuccess()
        try shell.run("put", "a", "both", #"{"name":"Rom","address":{"city":"Wien"}}"#)
        try shell.run("put", "b", "both", #"{"name":"Rome!","address":{"city":"Bern"}}"#)
        try leave()
        let preview = try shell.run("conflicts", "resolve", "b", "both", "--merge", "--dry-run")
        let lost = preview.errors.split(separator: "\n")
        #expect(lost.count == 2, "\(preview.errors)")
        for line in lost { #expect(line.hasSuffix(", not kept"), "\(line)") }
        #expect(lost.contains { $0.hasPrefix("  /address/city: ") }, "\(lost)")
        let done = try shell.run("conflicts", "resolve", "b", "both", "--merge", "--json").json()
        let losses = try #require(done["lost"] as? [[String: Any]])
        #expect(losses.count == 2)
        let name = try #require(losses.first { $0["path"] as? String == "/name" })
        let kept = try shell.run("get", "b", "both", "--raw").output
        let value = try #require(name["value"] as? String)
        #expect(["Rom", "Rome!"].contains(value) && !kept.contains("\"\(value)\""), "\(kept)")
    }

    @Test func `a merge says that a deletion or an edit next to it is lost`() throws {
        try shell.run("rm", "a", "both")
        try leave()
        let preview = try shell.run("conflicts", "resolve", "b", "both", "--merge", "--dry-run")
        #expect(preview.output == "deleted\n", "\(preview.output)")
        #expect(
            preview.errors
                == "  the document: ours {\"name\":\"Rome\",\"open\":true,\"stars\":4}, not kept\n"
        )
        let done = try shell.run("conflicts", "resolve", "b", "both", "--merge", "--json").json()
        let lost = try #require(done["lost"] as? [[String: Any]])
        #expect(lost.count == 1 && lost[0]["path"] as? String == "")
        #expect((lost[0]["value"] as? [String: Any])?["stars"] as? Int == 4)
    }

    @Test func `all conflicts are resolved at once by a deletion`() throws {
        try leave()
        try shell.run("conflicts", "resolve", "b", "--all", "--delete")
        try sync().expectSuccess()
        #expect(try shell.run("ls", "a").output.isEmpty)
    }

    @Test func `an editor opens with the merged text and both sides`() throws {
        try leave()
        let careless = try shell.divan(
            ["conflicts", "resolve", "b", "both", "--edit"],
            environment: ["VISUAL": "true", "TMPDIR": shell.directory]
        )
        careless.expectFailure(4, "_ours")
        // Nobody typed anything that could be lost.
        #expect(!careless.errors.contains("your text is in"), "\(careless.errors)")
        try shell.write(
            "edit.sh",
            #"""
            grep -q '"_theirs"' "$1"
            echo '{"name":"Roma","stars":5}' > "$1"
            """#
        )
        let careful = try shell.divan(
            ["conflicts", "resolve", "b", "both", "--edit"],
            environment: ["VISUAL": "sh -e edit.sh", "TMPDIR": shell.directory]
        )
        careful.expectSuccess()
        try sync().expectSuccess()
        try expectEqual(#"{"name":"Roma","stars":5}"#)
    }

    @Test(arguments: [
        ("--local", #"{"name":"Rome","open":true,"stars":4}"#),
        ("--remote", #"{"name":"Roma","stars":3}"#),
        ("--merge", #"{"name":"Roma","open":true,"stars":4}"#),
    ])
    func `conflicts resolve works while another process has the database open`(
        _ way: String,
        _ body: String
    ) throws {
        try leave()
        let holder = try shell.serve("b", "--no-tls")
        _ = try holder.url()
        let preview = try shell.run("conflicts", "resolve", "b", "both", way, "--dry-run")
        #expect(preview.output == body + "\n")
        let done = try shell.run("conflicts", "resolve", "b", "both", way, "--json").json()
        #expect(done["id"] as? String == "both" && done["revision"] is String)
        try shell.divan("conflicts", "resolve", "b", "both", way)
            .expectFailure(3, "is not in conflict")
        holder.stop()
        try sync().expectSuccess()
        try expectEqual(body)
    }

    @Test func `an edited resolution is saved by the process that has the database open`() throws {
        try leave()
        let holder = try shell.serve("b", "--no-tls")
        _ = try holder.url()
        try shell.write("edit.sh", #"echo '{"name":"Roma","stars":5}' > "$1""#)
        let outcome = try shell.divan(
            ["conflicts", "resolve", "b", "both", "--edit"],
            environment: ["VISUAL": "sh -e edit.sh", "TMPDIR": shell.directory]
        )
        outcome.expectSuccess()
        #expect(outcome.errors.hasPrefix("Resolved both, revision 3-"), "\(outcome.errors)")
        let left = try FileManager.default.contentsOfDirectory(atPath: shell.directory)
        #expect(!left.contains { $0.hasPrefix("divan-edit") })
        holder.stop()
        try sync().expectSuccess()
        try expectEqual(#"{"name":"Roma","stars":5}"#)
    }

    @Test(arguments: [true, false])
    func `an edited resolution that is outdated is kept in its file`(_ isHeld: Bool) throws {
        try leave()
        let holder = try isHeld ? shell.serve("b", "--no-tls") : nil
        _ = try holder?.url()
        try shell.write(
            "edit.sh",
            #"divan conflicts resolve b both --local; echo '{"name":"late"}' > "$1""#
        )
        let outcome = try shell.bash(
            "divan conflicts resolve b both --edit",
            environment: ["VISUAL": "bash -e edit.sh", "TMPDIR": shell.directory]
        )
        #expect(outcome.status == 10, "\(outcome)")
        #expect(
            outcome.errors.contains("the conflict in document 'both' was changed in the meantime"),
            "\(outcome)"
        )
        #expect(outcome.errors.contains("your text is in \(shell.directory)"), "\(outcome)")
        #expect(try shell.run("get", "b", "both", "--raw").output.contains(#""stars":4"#))
        holder?.stop()
    }

    @Test func `a body from a file resolves a conflict only between the given sides`() throws {
        try leave()
        let words = ["conflicts", "resolve", "b", "both", "--body"]
        try shell.write("body.json", #"{"name":"Roma","stars":6}"#)
        try shell.divan(words + ["body.json", "--sides", "2-00,2-11"])
            .expectFailure(10, "changed in the meantime")
        try shell.divan(words + ["-"], input: "[").expectFailure(4, "the text")
        try shell.divan("conflicts", "resolve", "b", "--all", "--body", "body.json")
            .expectFailure(2, "require exactly one document ID")
        try shell.divan(words + ["body.json"]).expectSuccess()
        try sync().expectSuccess()
        try expectEqual(#"{"name":"Roma","stars":6}"#)
    }

    @Test func `a later sync with --conflicts resolves an open conflict`() throws {
        try leave()
        try sync("--conflicts", "remote").expectSuccess()
        try expectEqual(#"{"name":"Roma","stars":3}"#)
    }

    /// The ID may have been chosen by a peer.
    @Test func `the printed resolve command works from any directory`() throws {
        let id = "it's; touch taken"
        try shell.run("put", "a", id, #"{"n":1}"#)
        try shell.run("put", "b", id, #"{"n":2}"#)
        try sync("--conflicts", "leave").expectFailure(8, "conflicts left unresolved")
        try FileManager.default.createDirectory(
            atPath: shell.path("elsewhere"),
            withIntermediateDirectories: true
        )
        let quoted = #"'it'\''s; touch taken'"#
        let outcome = try shell.bash("cd elsewhere && divan conflicts show ../b \(quoted)")
        let line = try #require(outcome.errors.split(separator: "\n").last)
        let hint = try #require(line.components(separatedBy: ",").first)
        let order = hint.replacing("hint: resolve it with ", with: "")
        try shell.bash("cd elsewhere && \(order)").expectSuccess()
        #expect(!FileManager.default.fileExists(atPath: shell.path("elsewhere/taken")))
        #expect(!(try shell.run("conflicts", "ls", "b").output.contains("touch")))
    }

    @Test func `usage errors of conflicts are explained`() throws {
        try sync("--conflicts", "fun").expectFailure(2, "default, local, remote, merge, leave")
        try shell.divan("conflicts").expectFailure(2, "conflicts ls", "conflicts resolve")
        try shell.divan("conflicts", "show", "b", "both").expectFailure(3, "is not in conflict")
        try shell.divan("conflicts", "show", "b", "nobody").expectFailure(3, "nobody")
        try shell.divan("conflicts", "resolve", "b", "both").expectFailure(2, "--local", "--edit")
        try shell.divan("conflicts", "resolve", "b", "both", "--local", "--remote")
            .expectFailure(2, "give exactly one resolution")
        try shell.divan("conflicts", "resolve", "b", "--local").expectFailure(2, "--all")
        try shell.divan("conflicts", "resolve", "b", "x", "--all", "--local").expectFailure(2)
        try shell.divan("conflicts", "resolve", "b", "both", "--local")
            .expectFailure(3, "is not in conflict")
        try shell.divan("conflicts", "ls", "missing").expectFailure(3, "missing.cblite2")
    }
}
