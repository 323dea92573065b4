import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// What a new user types, and what must not happen then.
@Suite struct CommonMistakesTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "db", "--collections", "geo.places")
        try shell.run("put", "db", "one", #"{"pages":[{"n":1}]}"#)
        try shell.write("scan.png", "a scan")
    }

    @Test func `a bundle without its database file is not reported as missing`() throws {
        try FileManager.default.removeItem(atPath: shell.path("db.cblite2/db.sqlite3"))
        let outcome = try shell.divan("doctor", "db")
        outcome.expectFailure(5, "not a Divan database")
        #expect(outcome.output.contains("restore a backup"))
        #expect(!outcome.output.contains("divan new"))
    }

    @Test func `a database in the default directory of apps is reported`() throws {
        try shell.bash("mkdir -p data/CouchbaseLite; divan new data/CouchbaseLite/shop")
            .expectSuccess()
        let place = shell.path("data/CouchbaseLite/shop")
        try shell.divan("ls", "shop").expectFailure(3, "database not found", "use '\(place)'")
        #expect(try !shell.divan("ls", "nowhere").errors.contains("default directory"))
    }

    @Test func `a deleted document is distinguished from a missing one`() throws {
        try shell.run("rm", "db", "one")
        for words in [["get", "db", "one"], ["rm", "db", "one"], ["edit", "db", "one"]] {
            try shell.divan(words).expectFailure(3, "it was deleted; run 'divan revs' to show")
        }
        #expect(try !shell.divan("get", "db", "two").errors.contains("deleted"))
    }

    @Test func `a missing blob, index or collection is reported with the existing ones`() throws {
        try shell.run("blob", "put", "db", "one", "scan", "scan.png")
        try shell.divan("get", "db", "one", "--blob", "photo")
            .expectFailure(3, "has no blob under 'photo'", "choose one of these keys: scan")
        try shell.run("index", "make", "db", "byName", "name", "-c", "geo.places")
        try shell.divan("index", "rm", "db", "byName")
            .expectFailure(3, "is in geo.places; use '-c geo.places'")
        try shell.divan("ls", "db", "-c", "places").expectFailure(3, "did you mean 'geo.places'?")
        try shell.divan("mkcoll", "db", "_x").expectFailure(4, "neither part can begin with _ or %")
    }

    @Test(arguments: [
        ("query db SELECT n FROM _", "put the query in quotes"),
        ("get db -5", "write '-- -5'"),
        ("sync db other", "divan serve other --no-tls"),
    ])
    func `a common usage error is reported with a hint`(_ line: String, _ remedy: String) throws {
        try shell.run("new", "other")
        try shell.bash("exec divan \(line)").expectFailure(2, remedy)
    }

    @Test func `an editor killed by Ctrl-C is reported as killed`() throws {
        let editor = "EDITOR='exec sh -c \"kill -INT \\$\\$\"'"
        let outcome = try shell.bash("\(editor) divan edit db one")
        outcome.expectFailure(130, "was killed by signal 2", "nothing was saved")
    }

    @Test func `the shell warns of a parameter without a value`() throws {
        let outcome = try shell.divan("db", input: "SELECT * FROM _ WHERE n = $n;\n")
        outcome.expectSuccess()
        #expect(
            outcome.errors.contains(
                "$n has no value, so it is MISSING; set it with '.param n VALUE'"
            )
        )
    }

    @Test func `divan NAME opens a shell for an encrypted database with its key`() throws {
        try shell.write("key", String(repeating: "ab", count: 32))
        try shell.bash("chmod 600 key && divan new sealed --key-file key").expectSuccess()
        let question = "SELECT COUNT(*) AS n FROM _;\n"
        let outcome = try shell.divan("sealed", "--key-file", "key", input: question)
        outcome.expectSuccess()
        #expect(outcome.output.hasPrefix("n\n"))
    }

    @Test func `a collection with documents is not removed without --yes`() throws {
        try shell.run("put", "db", "rome", "{}", "-c", "geo.places")
        let outcome = try shell.divan("collections", "db", "--rm", "geo.places")
        outcome.expectFailure(2, "1 document", "--yes")
        #expect(try shell.run("ls", "db", "-c", "geo.places").output == "rome\n")
        try shell.run("collections", "db", "--rm", "geo.places", "--yes")
        try shell.run("collections", "db", "--make", "geo.empty")
        try shell.run("collections", "db", "--rm", "geo.empty")
    }

    @Test func `a document with an expiration in the past is removed`() throws {
        try shell.run("put", "db", "two", "{}")
        let outcome = try shell.run("expire", "db", "two", "2020-01-01")
        #expect(outcome.errors.contains("purged"))
        #expect(try shell.divan("get", "db", "two").status == 3)
        #expect(try shell.run("ls", "db").output == "one\n")
    }

    @Test(arguments: [
        ("index make db i n --text --array tags", "'--array' and '--text' cannot be combined"),
        ("index make db i --array tags --where 'n > 1'", "'--array' and '--where' cannot be"),
        ("index make db i n --language en", "'--language' requires '--text'"),
        ("index make db i n --ignore-accents", "'--ignore-accents' requires '--text'"),
        ("export db --query 'SELECT n FROM _' --since 1", "'--since' cannot be combined with"),
        ("export db --query 'SELECT n FROM _' -c geo.places", "'--collection' cannot be combined"),
        ("export db --query 'SELECT n FROM _' --blobs", "'--blobs' cannot be combined with"),
        ("push db ws://127.0.0.1:1/x --pull-filter open", "unknown option '--pull-filter'"),
        ("push db ws://127.0.0.1:1/x --channels a", "unknown option '--channels'"),
        ("sync db ws://127.0.0.1:1/x --user a --password b", "use '--password-file FILE'"),
        ("serve db --user a --password=b", "use '--password-file FILE'"),
        ("pull db ws://127.0.0.1:1/x --push-filter open", "unknown option '--push-filter'"),
    ])
    func `options without effect are rejected`(_ line: String, _ words: String) throws {
        try shell.bash("exec divan \(line)").expectFailure(2, words)
        #expect(try shell.run("index", "ls", "db").output.isEmpty)
    }

    @Test func `a symbolic link to a database is reported as such`() throws {
        try shell.bash("ln -s db.cblite2 link.cblite2").expectSuccess()
        for line in [
            "ls link", "get link one", "export link", "put link x '{}'", "info link",
            "query link 'SELECT 1 AS n FROM _'", "index make link i n", "dump link",
            "push link ws://127.0.0.1:1/x", "cp link copy", "blob get link one cover",
            "revs link one",
        ] {
            try shell.bash("exec divan \(line)")
                .expectFailure(5, "link.cblite2: ", "a symbolic link", "use its target")
        }
    }

    @Test func `an index without documents warns and suggests the right collection`() throws {
        try shell.run("new", "my", "--collections", "notes")
        try shell.run("put", "my", "n", #"{"body":"text"}"#, "-c", "notes")
        let told = try shell.run("index", "make", "my", "notes", "body")
        #expect(
            told.errors.contains("_default has no documents")
                && told.errors.contains("divan index make my notes -c notes body"),
            "\(told)"
        )
        let meant = try shell.run("index", "make", "my", "notes", "body", "-c", "notes")
        #expect(!meant.errors.contains("warning"), "\(meant)")
        try shell.run("put", "my", "d", #"{"title":"text"}"#)
        for words in [["body"], ["body", "--text"], ["--array", "body[].x"]] {
            let empty = try shell.divan(["index", "make", "my", "i"] + words)
            #expect(
                empty.errors.contains("no document of _default has the property body"),
                "\(empty)"
            )
        }
    }

    @Test func `a blob is stored and read by a JSON pointer`() throws {
        try shell.run("blob", "put", "db", "one", "/pages/0/scan", "scan.png")
        try shell.run("blob", "put", "db", "one", "/pages/-", "scan.png")
        try shell.run("blob", "put", "db", "one", "cover", "scan.png")
        let body = try shell.run("get", "db", "one").json()
        #expect(Set(body.keys) == ["pages", "cover"])
        for key in ["/pages/0/scan", "/pages/1", "cover", "/cover"] {
            #expect(try shell.run("blob", "get", "db", "one", key).output == "a scan")
            #expect(try shell.run("get", "db", "one", "--blob", key).output == "a scan")
        }
        for key in ["/pages/7/scan", "/missing/scan", "/pages/x"] {
            try shell.divan("blob", "put", "db", "one", key, "scan.png").expectFailure(3, key)
        }
    }

    @Test func `identities are stored in the user's home directory`() throws {
        let environment = ["HOME": shell.path("home"), "XDG_DATA_HOME": ""]
        try shell.divan(["identity", "new", "robot", "--key", "p256"], environment: environment)
            .expectSuccess()
        let folder = shell.path("home/.local/share/CouchbaseLite/Identities")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
    }

    @Test func `messages use the singular for a count of one`() throws {
        try shell.run("new", "other")
        let outcome = try shell.divan("compare", "db", "other", "--collections", "_default")
        outcome.expectFailure(9, "1 difference found")
        let lines = "{\"_id\":\"_bad\"}\n"
        let left = try shell.divan(["import", "db", "-", "--keep-going"], input: lines)
        #expect(left.status == 8 && left.errors.contains("1 document was skipped"), "\(left)")
        let server = try shell.serve("db", "--no-tls")
        let pulled = try shell.run("pull", "other", try server.url(), "--collections", "_default")
        #expect(pulled.output.contains("Pulled 1 document;"), "\(pulled)")
        // Not in the rate, which may be 11 documents/s.
        #expect(!pulled.output.contains(" 1 documents"), "\(pulled)")
        #expect(!pulled.output.contains("(1 documents"), "\(pulled)")
        server.stop()
    }

    /// Runs the command as a user without rights here; only root can switch to one.
    private func divan(asNobody words: [String]) throws -> Program.Outcome {
        let become = ["--reuid", "65534", "--regid", "65534", "--clear-groups"]
        return try Program("/usr/bin/setpriv", directory: shell.directory).run(
            become + [Shell.divan.path] + words
        )
    }

    @Test(.enabled(if: CurrentProcess.effectiveUser == 0, "only root can become somebody else"))
    func `missing permissions are reported as such`() throws {
        try FileSystem.setPermissions(0o755, of: shell.directory)
        for words in [
            ["ls", "db"], ["put", "db", "x", "{}"], ["status", "db"], ["check", "db"],
        ] {
            try FileSystem.setPermissions(0o700, of: shell.path("db.cblite2"))
            try divan(asNobody: words).expectFailure(5, "Permission denied", "ermissions")
        }
        try FileSystem.setPermissions(0o755, of: shell.path("db.cblite2"))
        try divan(asNobody: ["put", "db", "x", "{}"]).expectFailure(5, "ermission")
        try divan(asNobody: ["export", "db", "out"]).expectFailure(5, "Permission denied")
    }

    @Test(.enabled(if: CurrentProcess.effectiveUser == 0, "only root can become somebody else"))
    func `a database in use by another user gets a hint with sudo`() throws {
        try FileSystem.setPermissions(0o755, of: shell.directory)
        try FileSystem.setPermissions(0o755, of: shell.path("db.cblite2"))
        try FileSystem.setPermissions(0o644, of: shell.path("db.cblite2/lock"))
        let become = ["--reuid", "65534", "--regid", "65534", "--clear-groups"]
        let holder = try Program("/usr/bin/setpriv", directory: shell.directory).start(
            become + ["flock", "db.cblite2/lock", "sh", "-c", "echo locked; read line"],
            input: .lines,
            patience: .seconds(40)
        )
        _ = try holder.line { $0 == "locked" }
        let outcome = try shell.divan("put", "db", "x", "{}")
        outcome.expectFailure(5, "in use by flock, process ", "run 'sudo -u nobody divan")
        #expect(!outcome.errors.contains("end it"))
        holder.endInput()
        _ = holder.finish()
    }

    @Test func `certs show accepts a URL`() throws {
        let server = try shell.serve("db")
        let url = try server.url()
        let outcome = try shell.divan("certs", "show", url)
        #expect(outcome.status == 7 && outcome.output.contains("certificate 1"), "\(outcome)")
        server.stop()
    }

    @Test func `an empty default collection that the peer lacks is skipped`() throws {
        try shell.run("new", "there", "--collections", "geo.places")
        try shell.run("new", "here", "--collections", "geo.places")
        try shell.run("put", "there", "rome", "{}", "-c", "geo.places")
        let server = try shell.serve("there", "--no-tls", "--collections", "geo.places")
        let url = try server.url()
        let outcome = try shell.run("sync", "here", url)
        #expect(outcome.errors.contains("no default collection"), "\(outcome)")
        #expect(try shell.run("ls", "here", "-c", "geo.places").output == "rome\n")
        try shell.run("put", "here", "mine", "{}")
        try shell.divan("sync", "here", url).expectFailure(3, "_default")
        server.stop()
    }
}
