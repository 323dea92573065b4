import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// The file of `divan serve --config`: replications, encryption keys, and `--check`.
@Suite(.timeLimit(.minutes(5))) struct ServeFileTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        for name in ["edge", "cloud"] { try shell.run("new", name) }
    }

    private func write(_ text: String) throws { try shell.write("serve.json", text) }

    private func check() throws -> Program.Outcome {
        try shell.divan("serve", "--config", "serve.json", "--check")
    }

    @Test func `a server keeps its replications running and reports their state`() throws {
        try shell.write("secret.txt", "open sesame\n")
        try shell.run("users", "add", "users.json", "kiosk", "--password-file", "secret.txt")
        let cloud = try shell.serve("cloud", "--no-tls", "--users", "users.json")
        let url = try cloud.url()
        try write(
            #"{"databases":["edge"],"interface":"127.0.0.1","no-tls":true,"replications":["#
                + #"{"database":"edge","url":"\#(url)","user":"kiosk","password-file":"secret.txt"}]}"#
        )
        try shell.run("put", "edge", "one", "{}")
        let edge = try shell.start("serve", "--config", "serve.json")
        _ = try edge.event {
            $0["event"] as? String == "replication" && $0["activity"] as? String == "idle"
        }
        #expect(try shell.run("ls", "cloud").output == "one\n")
        #expect(try shell.run("status", "edge", "--json").output.contains(url))
        #expect(edge.stop() == 0)
        let later = try shell.start("serve", "--config", "serve.json")
        try shell.run("put", "cloud", "two", "{}")
        _ = try shell.bash(
            "until divan ls edge | grep -q two; do read -rt 0.05 <> <(:) || :; done"
        )
        #expect(later.stop() == 0)
        #expect(cloud.stop() == 0)
    }

    @Test func `SIGHUP applies the log settings in the file and names what needs a restart`() throws
    {
        let start = #"{"databases":["edge"],"interface":"127.0.0.1","no-tls":true"#
        try write(start + "}")
        let server = try shell.start("serve", "--config", "serve.json")
        let url = try server.url()
        try write(start + #","log-redaction":"full","heartbeat":60}"#)
        server.process.signal(.hangup)
        let problem = try server.event(named: "problem")
        let expected = "serve.json: changes of \"heartbeat\" take effect after a restart"
        #expect(problem["text"] as? String == expected)
        let names = try server.event(named: "reloaded")["reloaded"] as? [String]
        #expect(names == ["configuration file"])
        try shell.run("pull", "cloud", url)
        let address = try server.event(named: "connected")["address"] as? String
        #expect(address?.hasPrefix("<sd>") == true, "\(address ?? "")")
        #expect(server.stop() == 0)
    }

    @Test func `a file that became invalid changes nothing`() throws {
        let start = #"{"databases":["edge"],"interface":"127.0.0.1","no-tls":true"#
        try write(start + "}")
        let server = try shell.start("serve", "--config", "serve.json")
        _ = try server.url()
        try write(start + #","log-redaction":"some"}"#)
        server.process.signal(.hangup)
        let problem = try server.event(named: "problem")["text"] as? String
        #expect(problem?.contains("log-redaction") == true, "\(problem ?? "")")
        #expect(try server.event(named: "reloaded")["reloaded"] as? [String] == [])
        #expect(server.stop() == 0)
    }

    @Test func `an error in an entry of the replications names the entry`() throws {
        try write(
            #"{"databases":["edge"],"replications":["#
                + #"{"database":"edge","url":"wss://a/b"},{"database":"edge"}]}"#
        )
        try check().expectFailure(4, "serve.json: replications[1]: ")
    }

    /// The database has an empty default collection, which the peer lacks.
    @Test func `a replication leaves out what its condition excludes, without errors`() throws {
        try shell.run("new", "hub")
        try shell.run("mkcoll", "hub", "geo.places")
        for (id, kind) in [("rome", "city"), ("etna", "mountain")] {
            try shell.run("put", "hub", id, #"{"kind":"\#(kind)"}"#, "-c", "geo.places")
        }
        let hub = try shell.serve("hub", "--no-tls", "--collections", "geo.places")
        let url = try hub.url()
        try shell.run("mkcoll", "edge", "geo.places")
        try write(
            #"{"databases":["edge"],"interface":"127.0.0.1","no-tls":true,"replications":["#
                + #"{"database":"edge","url":"\#(url)","direction":"pull","where":"kind = 'city'"}]}"#
        )
        let edge = try shell.start("serve", "--config", "serve.json")
        let first = try edge.event(named: "replication")
        #expect(first["activity"] as? String == "idle" && first["error"] == nil)
        #expect(try shell.run("ls", "edge", "-c", "geo.places").output == "rome\n")
        #expect(try shell.run("status", "edge", "--json").output.contains("\"errors\":0"))
        #expect(edge.stop() == 0)
        hub.stop()
    }

    @Test func `a replication that is refused is reported, and the listener keeps serving`() throws
    {
        try shell.write("secret.txt", "wrong\n")
        try shell.write("right.txt", "right\n")
        try shell.run("users", "add", "users.json", "kiosk", "--password-file", "right.txt")
        let cloud = try shell.serve("cloud", "--no-tls", "--users", "users.json")
        try write(
            #"{"databases":["edge"],"interface":"127.0.0.1","no-tls":true,"replications":["#
                + #"{"database":"edge","url":"\#(try cloud.url())","user":"kiosk","#
                + #""password-file":"secret.txt","direction":"push"}]}"#
        )
        let edge = try shell.start("serve", "--config", "serve.json")
        let url = try edge.url()
        let failed = try edge.event(named: "replication")
        #expect(failed["activity"] as? String == "stopped")
        #expect((failed["error"] as? String)?.contains("password") == true)
        try shell.run("put", "edge", "one", "{}")
        try shell.run("new", "phone")
        try shell.run("pull", "phone", url)
        #expect(try shell.run("ls", "phone").output == "one\n")
        #expect(edge.stop() == 0)
        cloud.stop()
    }

    @Test(arguments: [
        (#"{"databases":["edge"],"replications":{}}"#, 4, "\"replications\" is not a list"),
        (#"{"databases":["edge"],"replications":[{"url":"ws://a/b"}]}"#, 4, "no \"database\""),
        (
            #"{"databases":["edge"],"replications":[{"database":"edge","url":"ws://a/b","way":1}]}"#,
            4, "--way"
        ),
        (
            #"{"databases":["edge"],"replications":[{"database":"edge","url":"ws://a/b","reset":true}]}"#,
            4, "\"reset\" is not allowed"
        ),
        (
            #"{"databases":["edge"],"replications":[{"database":"edge","url":"http://a/b"}]}"#, 2,
            "wss://"
        ),
        (
            #"{"databases":["edge"],"replications":[{"database":"no","url":"ws://a/b"}]}"#, 3,
            "database not found"
        ),
        (
            #"{"databases":["edge"],"replications":[{"database":"edge","url":"wss://a/b","pin":"no.pem"}]}"#,
            3, "no.pem"
        ),
        (
            #"{"databases":["edge"],"replications":[{"database":"edge","url":"wss://a/b","where":"((("}]}"#,
            4, ""
        ),
        (
            #"{"databases":["edge"],"replications":[{"database":"edge","url":"wss://a/b","attempts":0}]}"#,
            2, "--attempts"
        ),
        (
            #"{"databases":["edge"],"replications":[{"database":"edge","url":"wss://a/b","direction":null}]}"#,
            4, "direction"
        ),
        (#"{"databases":["edge","cloud"],"port":65535}"#, 2, "leaves no port for cloud"),
        (#"{"databases":["edge"],"replication":[]}"#, 4, "did you mean \"replications\"?"),
        (#"{"databases":["missing"]}"#, 3, "database not found"),
        (#"{"databases":["edge"],"users":"no.json"}"#, 3, "no.json"),
        (#"{"databases":["edge"],"heartbeat":1}"#, 2, "--heartbeat"),
        (#"{"databases":["edge"],"rest-host":["a"]}"#, 2, "--rest PORT"),
        (#"{"databases":["edge"],"check":true}"#, 4, "not allowed in the file"),
    ])
    func `--check reports the first error and opens nothing`(
        _ text: String,
        _ status: Int,
        _ words: String
    ) throws {
        try write(text)
        try check().expectFailure(Int32(status), words)
    }

    @Test func `the guide's file with a replication is valid`() throws {
        let guide = try Guide("serving.md")
        try write(try #require(guide.blocks("json replications").first?.text))
        try shell.run("new", "travel", "--collections", "geo.places")
        try shell.write("cloud.secret", "open sesame\n")
        try shell.run("users", "add", "users.json", "kiosk", "--password-file", "cloud.secret")
        try check().expectSuccess()
    }

    @Test func `--check accepts the file of a server that is running`() throws {
        try write(
            #"{"databases":["edge"],"no-tls":true,"port":4984,"interface":"127.0.0.1","replications":"#
                + #"[{"database":"edge","url":"ws://127.0.0.1:1/x","max-wait":5}]}"#
        )
        let server = try shell.serve("edge", "--no-tls")
        _ = try server.url()
        #expect(try check().errors.contains("Checked serve.json: no errors"))
        #expect(server.stop() == 0)
    }

    @Test func `the key of an encrypted database can be in the file or on the command line`() throws
    {
        try shell.write("key.txt", "open sesame\n")
        try FileSystem.setPermissions(0o600, of: shell.path("key.txt"))
        try shell.run("new", "vault", "--key-file", "key.txt", "--key-is-password")
        let common = #""databases":["vault"],"no-tls":true,"interface":"127.0.0.1""#
        try write("{\(common),\"key-file\":\"key.txt\",\"key-is-password\":true}")
        let server = try shell.start("serve", "--config", "serve.json")
        _ = try server.url()
        #expect(server.stop() == 0)
        try write("{\(common)}")
        let other = try shell.start(
            "serve",
            "--config",
            "serve.json",
            "--key-file",
            "key.txt",
            "--key-is-password"
        )
        _ = try other.url()
        #expect(other.stop() == 0)
    }
}
