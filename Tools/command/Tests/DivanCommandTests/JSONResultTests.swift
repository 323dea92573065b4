import DivanTestKit
import Foundation
import Testing

/// With `--json` a verb reports on standard output what it did, as one object.
@Suite struct JSONResultTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "db")
        try shell.run("put", "db", "one", #"{"n":1}"#)
    }

    @Test func `put --json prints the revision`() throws {
        let told = try shell.run("put", "db", "two", "{}", "--json")
        let object = try told.json()
        #expect(object["id"] as? String == "two" && object["sequence"] as? Int == 2)
        #expect((object["revision"] as? String)?.hasPrefix("1-") == true)
        #expect(told.errors.isEmpty)
    }

    @Test func `expire --json prints a set, cleared or past expiration`() throws {
        let set = try shell.run("expire", "db", "one", "2037-01-01T00:00Z", "--json").json()
        #expect(set["expires"] as? String == "2037-01-01T00:00:00.000Z")
        #expect(set["purged"] as? Bool == false && set["id"] as? String == "one")
        let cleared = try shell.run("expire", "db", "one", "--clear", "--json").json()
        #expect(cleared["expires"] is NSNull && cleared["purged"] as? Bool == false)
        let over = try shell.run("expire", "db", "one", "2020-01-01", "--json").json()
        #expect(over["expires"] is NSNull && over["purged"] as? Bool == true)
    }

    @Test(arguments: ["out.jsonl", "out.csv", "out.sqlite"])
    func `export --json prints the number of documents`(_ file: String) throws {
        let told = try shell.run("export", "db", file, "--json").json()
        #expect(told["documents"] as? Int == 1)
        #expect(file != "out.jsonl" || told["sequence"] as? Int == 1)
    }

    @Test func `export --query --json prints the number of rows`() throws {
        let words = ["export", "db", "out.csv", "--query", "SELECT n FROM _", "--json"]
        #expect(try shell.divan(words).json()["rows"] as? Int == 1)
    }

    /// Standard output has the documents, for something to read.
    @Test(arguments: ["export", "dump"])
    func `with documents on standard output the result goes to standard error`(
        _ verb: String
    ) throws {
        let told = try shell.run(verb, "db", "--json")
        let data = Data(told.errors.utf8)
        let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        #expect(object?["documents"] as? Int == 1, "\(told)")
        #expect(told.output == (try shell.run(verb, "db").output) || verb == "dump")
    }

    @Test func `edit --json prints the result of the process that has the database open`() throws {
        let server = try shell.serve("db", "--no-tls")
        defer { server.stop() }
        _ = try server.url()
        let outcome = try shell.divan(
            ["edit", "db", "one", "--json"],
            environment: ["EDITOR": "sed -i s/1/2/"]
        )
        #expect(try outcome.json()["id"] as? String == "one", "\(outcome)")
    }
}
