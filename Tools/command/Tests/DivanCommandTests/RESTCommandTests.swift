import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// `divan serve --rest`, with curl.
@Suite(.timeLimit(.minutes(5))) struct RESTCommandTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "notes", "--collections", "shop.chairs")
        try shell.run("put", "notes", "soup", #"{"salt":1}"#)
        try shell.run("put", "notes", "oak", "{}", "-c", "shop.chairs")
    }

    private func address(_ server: Peer) throws -> String {
        try #require(try server.event(named: "listening")["rest"] as? String)
    }

    private func curl(_ words: String...) throws -> String {
        let curl = try #require(Program.installed("curl"))
        return try curl.run(["-s", "--max-time", "60"] + words).output
    }

    @Test func `the requests of the REST guide work`() throws {
        let guide = try Guide("rest.md", runs: "sh setup", "sh serve", "sh requests")
        let fresh = try Shell()
        try fresh.bash(guide.script("sh setup")).expectSuccess()
        // Free ports replace the guide's, and the default one for peers.
        let serve = guide.script("sh serve")
        #expect(serve.contains("--rest 4985"))
        let free = serve.replacing("--rest 4985", with: "--rest 0 --port 0")
        let greeting = "REST interface at "
        let server = try ServingTerminal(fresh, "exec \(free)", greeting: greeting)
        let url = server.greeting.dropFirst(greeting.count)
        let outcome = try fresh.bash(
            guide.script("sh requests").replacing("http://127.0.0.1:4985/", with: url)
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        for expected in [
            #""collections":[{"count":1"#, #"{"salt":1}"#, #""error":"conflict""#,
            #""rows":["#, #""last_sequence":"#, #"{"id":"soup"}"#, "not really a picture",
            #""error":"not_found""#, #""chili""#, #""openapi":"3.1.0""#,
        ] {
            #expect(outcome.output.contains(expected), "\(expected) in \(outcome.output)")
        }
        #expect(server.interrupt() == 0)
    }

    @Test func `the REST interface uses the users, rights and TLS of the sync listener`() throws {
        for (name, options) in [
            ("anna", ["--read-only", "--collections", "shop.chairs"]), ("bo", []),
        ] {
            try shell.divan(
                ["users", "add", "users.json", name] + options,
                environment: ["DIVAN_PASSWORD": "secret"]
            ).expectSuccess()
        }
        let certificate = shell.path("server.pem")
        let server = try shell.serve(
            "notes",
            "--users",
            "users.json",
            "--rest",
            "0",
            "--metrics-port",
            "0",
            "--write-certificate",
            certificate
        )
        let listening = try server.event(named: "listening")
        let url = try #require(listening["rest"] as? String)
        #expect(url.hasPrefix("https://"))
        let status = ["-k", "-o", "/dev/null", "-w", "%{http_code}"]
        func ask(_ words: String...) throws -> String {
            let curl = try #require(Program.installed("curl"))
            return try curl.run(["-s", "--max-time", "60"] + status + words).output
        }
        let oak = "\(url)notes/shop.chairs/oak"
        #expect(try ask(oak) == "401")
        #expect(try ask("-u", "anna:wrong", oak) == "401")
        let refused = try server.event(named: "refused")
        #expect(refused["address"] as? String == "127.0.0.1" && refused["status"] as? Int == 401)
        #expect(refused["user"] as? String == "anna" && refused["database"] as? String == "notes")
        let figures = try curl(try #require(listening["metrics"] as? String))
        // A client without credentials is told what is needed.
        #expect(figures.contains("\ndivan_http_refusals_total{status=\"401\"} 1\n"))
        #expect(try ask("-u", "anna:secret", oak) == "200")
        #expect(try ask("-u", "anna:secret", "\(url)notes/_default/soup") == "404")
        #expect(try ask("-u", "anna:secret", "-X", "PUT", "-d", "{}", "\(oak)2") == "403")
        #expect(try ask("-u", "bo:secret", "-X", "PUT", "-d", "{}", "\(oak)2") == "201")
        server.stop()
        #expect(try shell.run("ls", "notes", "-c", "shop.chairs").output == "oak\noak2\n")
    }

    @Test func `a user sees documents that match the current condition`() throws {
        let password = ["DIVAN_PASSWORD": "secret"]
        try shell.divan(
            ["users", "add", "users.json", "anna", "--where", "owner = $user"],
            environment: password
        ).expectSuccess()
        try shell.run("put", "notes", "hers", #"{"owner":"anna"}"#)
        try shell.run("put", "notes", "his", #"{"owner":"bo"}"#)
        let options = ["--users", "users.json", "--rest", "0", "--no-tls"]
        let server = try shell.start(["serve", "notes", "--interface", "127.0.0.1"] + options)
        let list = "\(try address(server))notes/_default/_all_docs"
        let hers = try curl("-u", "anna:secret", list)
        #expect(hers.contains("\"hers\"") && !hers.contains("\"his\""), "\(hers)")
        #expect(!hers.contains("soup"))
        try shell.divan(
            ["users", "add", "users.json", "anna", "--replace", "--where", "owner = 'bo'"],
            environment: password
        ).expectSuccess()
        let now = try curl("-u", "anna:secret", list)
        #expect(now.contains("\"his\"") && !now.contains("\"hers\""), "\(now)")
        server.stop()
    }

    @Test func `REST changes reach peers, and pushed changes appear in the feed`() throws {
        let server = try shell.serve("notes", "--no-tls", "--rest", "0")
        let event = try server.event(named: "listening")
        let url = try #require(event["rest"] as? String)
        let peer = try #require((event["urls"] as? [String])?.first)
        _ = try curl("-X", "PUT", "-d", "{}", "\(url)notes/_default/stew")
        try shell.run("new", "b")
        try shell.run("pull", "b", peer, "--collections", "_default")
        #expect(try shell.run("ls", "b").output == "soup\nstew\n")
        try shell.run("put", "b", "pho", "{}")
        try shell.run("push", "b", peer, "--collections", "_default")
        let poll = "\(url)notes/_default/_changes?since=2&feed=longpoll&timeout=30000"
        #expect(try curl(poll).contains("\"pho\""))
        server.stop()
    }

    @Test func `named queries of a file can be the only ones that a user may run`() throws {
        let guide = try Guide("rest.md", runs: "json queries")
        try shell.write("queries.json", guide.script("json queries"))
        for (name, options) in [("anna", ["--queries", "salty"]), ("bo", ["--no-queries"])] {
            try shell.divan(
                ["users", "add", "users.json", name] + options,
                environment: ["DIVAN_PASSWORD": "secret"]
            ).expectSuccess()
        }
        let list = try shell.run("users", "ls", "users.json").output
        #expect(list.contains("collections; queries: salty") && list.contains("queries: none"))
        let options = ["--users", "users.json", "--rest", "0", "--no-tls"]
        let server = try shell.start(
            ["serve", "notes", "--interface", "127.0.0.1", "--rest-queries", "queries.json"]
                + options
        )
        let url = "\(try address(server))notes"
        let named = "\(url)/_query/salty?least=1"
        #expect(try curl("-u", "anna:secret", named).contains(#"{"id":"soup"}"#))
        #expect(try curl("-u", "anna:secret", url).contains("dishes with much salt"))
        #expect(try curl("-u", "bo:secret", named).contains(#""status":404"#))
        let free = try curl(
            "-u",
            "anna:secret",
            "-d",
            #"{"query":"SELECT 1 FROM _"}"#,
            "\(url)/_query"
        )
        #expect(free.contains("you can only run named queries"))
        server.stop()
    }

    @Test(arguments: [
        ("[]", "not a file of named queries"), ("{", "queries.json"),
        (#"{"a":{"query":"SELEC"}}"#, "query 'a'"), (#"{"a":{}}"#, #""query" is missing"#),
        (#"{"a":{"query":"SELECT 1 FROM _","parameters":{"x":"date"}}}"#, "use string, number"),
        (#"{"a":{"query":"SELECT 1 FROM _","user":1}}"#, #"unknown member "user""#),
    ])
    func `an invalid file of named queries is rejected`(text: String, problem: String) throws {
        try shell.write("queries.json", text)
        let options = ["--no-tls", "--rest", "0", "--rest-queries", "queries.json"]
        try shell.divan(["serve", "notes"] + options).expectFailure(4, problem)
    }

    @Test func `SIGHUP reloads the named queries, or keeps them if the file is invalid`() throws {
        let queries = { (limit: Int) in
            #"{"some":{"query":"SELECT META().id FROM _ WHERE META().id = 'soup' LIMIT \#(limit)"}}"#
        }
        try shell.write("queries.json", queries(1))
        let server = try shell.start([
            "serve", "notes", "--no-tls", "--interface", "127.0.0.1", "--rest", "0",
            "--rest-queries", "queries.json",
        ])
        let url = "\(try address(server))notes/_query/some"
        let one = try curl(url)
        #expect(one.contains(#""id":"soup""#))
        try shell.write("queries.json", queries(0))
        server.process.signal(.hangup)
        _ = try server.event(named: "reloaded")
        let none = try curl(url)
        #expect(none.contains("rows") && !none.contains("soup"), "\(none)")
        try shell.write("queries.json", "{")
        server.process.signal(.hangup)
        let problem = try server.event(named: "problem")
        #expect((problem["text"] as? String)?.contains("queries.json") == true)
        #expect(try curl(url) == none)
        server.stop()
    }

    @Test func `usage errors are reported before serving starts`() throws {
        try shell.divan("serve", "notes", "--rest", "99999").expectFailure(2, "--rest")
        try shell.divan("serve", "notes", "--rest-origin", "https://a").expectFailure(2, "--rest")
    }
}
