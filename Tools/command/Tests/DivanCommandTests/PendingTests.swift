import DivanTestKit
import Foundation
import Testing

/// `divan pending` and `divan checkpoints`: how far a database has come with its peers.
@Suite(.timeLimit(.minutes(5))) struct PendingTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "a", "--collections", "geo.places")
        try shell.run("new", "b", "--collections", "geo.places")
        try shell.run("put", "b", "one", "{}")
        try shell.run("put", "b", "rome", "{}", "-c", "geo.places")
    }

    @Test func `all documents are pending before the first sync, new ones after it`() throws {
        let server = try shell.serve("a", "--no-tls")
        let url = try server.url()
        let all = "_default/one\ngeo.places/rome\n"
        #expect(try shell.run("pending", "b", url).output == all)
        #expect(try shell.run("pending", "b").errors.contains("never replicated"))
        let never = try shell.run("pending", "b", "--json").json()
        #expect(never["peer"] is NSNull && never["count"] as? Int == 2, "\(never)")
        try shell.run("put", "b", "gone", "{}")
        try shell.run("rm", "b", "gone")
        for words in [["b"], ["b", url, "--count"]] {
            let answer = try shell.divan(["pending"] + words + ["--json"]).json()
            #expect(answer["count"] as? Int == 3, "deletions count: \(answer)")
        }
        let one = try shell.run("pending", "b", "--json", "--documents", "one,gone").json()
        #expect(one["count"] as? Int == 2, "\(one)")
        try shell.run("sync", "b", url)
        #expect(try shell.run("pending", "b", url).output.isEmpty)
        try shell.run("put", "b", "two", "{}")
        try shell.run("rm", "b", "one")
        try shell.run("put", "b", "ghent", "{}", "-c", "geo.places")
        let pending = "_default/one\n_default/two\ngeo.places/ghent\n"
        #expect(try shell.run("pending", "b", url).output == pending)
        #expect(try shell.run("pending", "b").output == pending)
        #expect(
            try shell.run("pending", "b", "--collections", "geo.places").output
                == "geo.places/ghent\n"
        )
        let count = try shell.run("pending", "b", "--count", "--json").json()
        #expect(count["count"] as? Int == 3 && count["peer"] as? String == url)
        try shell.run("push", "b", url)
        #expect(try shell.run("pending", "b", url, "--count").output == "0  \(url)\n")
        // The line of a sync with another verb.
        let words = [
            "pending", "b", url, "-u", "ali", "--password-file", "none", "--pin", "no.pem",
        ]
        #expect(try shell.divan(words + ["--count"]).output == "0  \(url)\n")
        server.stop()
    }

    @Test(arguments: ["push", "sync"])
    func `a peer that was never reached is not stored`(_ verb: String) throws {
        #expect(try shell.divan(verb, "b", "ws://127.0.0.1:1/a").status == 6)
        let pending = try shell.run("pending", "b")
        #expect(pending.output.isEmpty && pending.errors.contains("never replicated"))
        let mistyped = try shell.run("pending", "b", "ws://127.0.0.1:1/typo")
        #expect(mistyped.errors.contains("never replicated with ws://127.0.0.1:1/typo"))
    }

    @Test func `a rejected document fails one push and stays pending until it changes`() throws {
        try shell.run("put", "a", "one", #"{"of":"a"}"#)
        let server = try shell.serve("a", "--no-tls")
        let url = try server.url()
        // A push alone cannot resolve the conflict.
        try shell.divan("push", "b", url).expectFailure(8, "1 document could not be synced")
        for verb in ["push", "push"] {
            let later = try shell.run(verb, "b", url)
            #expect(later.output.contains("1 document refused earlier"), "\(later)")
            #expect(
                later.errors.contains("that could not be synced; add '--retry-refused'"),
                "\(later)"
            )
        }
        let line = try shell.run("pending", "b", url).output
        #expect(line.hasPrefix("_default/one  refused, 10409: "), "\(line)")
        #expect(try shell.run("pending", "b", url, "--count").output == "0  \(url)  1 refused\n")
        let object = try shell.run("pending", "b", "--json").json()
        #expect(object["refused"] as? Bool == true && object["code"] as? Int == 10409)
        #expect(object["id"] as? String == "one" && object["error"] is String)
        let count = try shell.run("pending", "b", url, "--count", "--json").json()
        #expect(count["count"] as? Int == 0 && count["refused"] as? Int == 1)
        let again = try shell.divan("push", "b", url, "--retry-refused", "--json")
        #expect(again.status == 8)
        #expect(again.output.contains(#""errors":1"#), "\(again.output)")
        #expect(again.output.contains(#""refused":1"#), "\(again.output)")
        try shell.run("sync", "b", url)
        #expect(try shell.run("pending", "b", url).output.isEmpty)
        let settled = try shell.run("push", "b", url, "--json")
        #expect(settled.output.contains(#""refused":0"#), "\(settled.output)")
        server.stop()
    }

    @Test func `documents of a --documents sync are pending separately`() throws {
        let server = try shell.serve("a", "--no-tls")
        let url = try server.url()
        try shell.run("put", "b", "two", "{}")
        try shell.run("push", "b", url, "--documents", "one", "--collections", "_default")
        let words = ["pending", "b", url, "--collections", "_default"]
        #expect(try shell.divan(words).output == "_default/two\n")
        #expect(try shell.divan(words + ["--documents", "one"]).output.isEmpty)
        server.stop()
    }

    @Test func `checkpoints are shown, compared and reset`() throws {
        try shell.run("put", "a", "from a", "{}")
        let server = try shell.serve("a", "--no-tls")
        let url = try server.url()
        #expect(try shell.run("checkpoints", "show", "b").errors == "No checkpoints\n")
        try shell.run("sync", "b", url)
        let page = try shell.run("checkpoints", "show", "b").output
        #expect(page.contains("\(url)  _default, push, pull or sync: pushed up to "), "\(page)")
        #expect(page.contains("\(url)  geo.places, sync: pushed up to 1"), "\(page)")
        let compared = try shell.run("checkpoints", "show", "b", url).output
        #expect(compared.contains("geo.places\n  local   pushed up to 1"), "\(compared)")
        #expect(!compared.contains("differs"))
        let lines = try shell.run("checkpoints", "show", "b", url, "--json").output
        #expect(lines.split(separator: "\n").allSatisfy { $0.contains(#""agree":true"#) })
        try shell.run("checkpoints", "reset", "b", url, "--remote")
        let emptied = try shell.run("checkpoints", "show", "b", url).output
        #expect(emptied.contains("  local   none"), "\(emptied)")
        let again = try shell.run("sync", "b", url)
        #expect(again.output.hasPrefix("Pulled 0 documents, pushed 0 documents; "))
        server.stop()
        let kept = try shell.run("checkpoints", "show", "a").output
        #expect(kept.contains("stored for a peer, cp-"))
        try shell.run("checkpoints", "reset", "a", "--kept")
        #expect(try shell.run("checkpoints", "show", "a").output.isEmpty)
        #expect(try shell.run("checkpoints", "reset", "b", "--all").errors.hasPrefix("Reset 2"))
    }

    @Test func `checkpoints of an open database are reset by the process that has it open`() throws
    {
        let server = try shell.serve("a", "--no-tls")
        let url = try server.url()
        try shell.run("sync", "b", url)
        let follower = try shell.start("sync", "b", url, "--continuous")
        try follower.wait(for: "idle")
        let number = follower.process.processIdentifier
        let name = "divan sync (process \(number)) is syncing with \(url)"
        try shell.divan("checkpoints", "reset", "b", url).expectFailure(5, name, "stop it first")
        try shell.divan("checkpoints", "reset", "b", "--all").expectFailure(5, name)
        try shell.divan("checkpoints", "reset", "b", url, "--remote").expectFailure(5, name)
        #expect(try shell.run("checkpoints", "show", "b").output.contains("pushed up to"))
        try shell.run("checkpoints", "reset", "b", "ws://127.0.0.1:1/x")
        follower.stop()
        try shell.run("put", "b", "two", "{}")
        try shell.run("put", "b", "ghent", "{}", "-c", "geo.places")
        try shell.run("sync", "b", url)
        let holder = try shell.serve("b", "--no-tls")
        _ = try holder.url()
        let told = try shell.divan("checkpoints", "reset", "b", url, "--remote")
        told.expectSuccess()
        #expect(told.errors == "Reset 4 checkpoints\n", "\(told.errors)")
        let again = try shell.run("checkpoints", "reset", "b", url, "--remote", "--json").json()
        // Ours are gone; the peer's two exist but are empty.
        #expect(again["forgot"] as? Int == 2)
        try shell.divan("checkpoints", "reset", "b", "ws://127.0.0.1:1/x", "--remote")
            .expectFailure(6)
        let kept = try shell.run("checkpoints", "reset", "a", "--kept", "--json").json()
        #expect(kept["forgot"] as? Int == 2)
        holder.stop()
        server.stop()
    }

    @Test func `checkpoints accepts the credentials of a sync`() throws {
        try shell.write("secret.txt", "open sesame\n")
        let server = try shell.serve("a", "--user", "ali", "--password-file", "secret.txt")
        let url = try server.url()
        let words = ["checkpoints", "show", "b", url, "--accept-self-signed"]
        try shell.divan(words).expectFailure(7, "401")
        try shell.divan(words + ["--user", "ali", "--password-file", "secret.txt"]).expectSuccess()
        try shell.divan("checkpoints", "show", "b", url).expectFailure(7, "certificate")
        server.stop()
        try shell.divan(words).expectFailure(6, "refused")
    }

    @Test func `usage errors of pending and checkpoints are explained`() throws {
        try shell.divan("pending", "missing").expectFailure(3, "missing.cblite2")
        try shell.divan("pending", "b", "http://x/y").expectFailure(2, "ws")
        try shell.divan("pending", "b", "--collections", "no.such").expectFailure(3, "no.such")
        try shell.divan("checkpoints", "reset", "b").expectFailure(2, "--all")
        try shell.divan("checkpoints", "reset", "b", "--all", "--remote").expectFailure(2, "URL")
        try shell.divan("checkpoints", "show", "missing").expectFailure(3, "missing.cblite2")
    }
}
