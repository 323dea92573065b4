import DivanTestKit
import Foundation
import Testing

/// `divan import-cblite`, and what other verbs say about a Couchbase Lite database.
@Suite struct ImportForeignTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        for name in ["revtree-3.2", "manykeys-3.2"] {
            let parts = "\(#filePath)".split(separator: "/", omittingEmptySubsequences: false)
            let tools = parts.lastIndex(of: "Tools") ?? 1
            let root = parts[..<tools].joined(separator: "/")
            let fixtures = root + "/Packages/DivanCBLite/Tests/Fixtures/cblite2"
            let words = ["-xzf", "\(fixtures)/\(name).tar.gz", "-C", shell.path("")]
            _ = try #require(Program.installed("tar")).run(words)
        }
    }

    @Test
    func `import-cblite imports a database`() throws {
        let outcome = try shell.divan(["import-cblite", "manykeys-3.2.cblite2", "new", "--json"])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains(#""documents":3"#))
        #expect(try shell.divan(["ls", "new"]).lines.count == 3)
        #expect(try shell.divan(["check", "new"]).status == 0)
    }

    @Test func `import-cblite with a key creates an encrypted database`() throws {
        try shell.write("key", String(repeating: "5c", count: 32))
        _ = try shell.bash("chmod 600 key")
        let key = ["--key-file", "key"]
        try shell.divan(["import-cblite", "manykeys-3.2", "new"] + key).expectSuccess()
        #expect(try shell.divan("ls", "new").status == 5)
        #expect(try shell.divan(["ls", "new"] + key).lines.count == 3)
        #expect(try shell.divan(["check", "new"] + key).status == 0)
    }

    @Test
    func `import-cblite reports missing blobs and imports the rest`() throws {
        let outcome = try shell.divan(["import-cblite", "revtree-3.2", "new"])
        #expect(outcome.status == 8)
        #expect(outcome.errors.contains("blob sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=: missing"))
        #expect(outcome.errors.contains("Imported 284 documents (10 tombstones, 5 open conflicts)"))
        #expect(try shell.divan(["ls", "new"]).lines.count == 243)
    }

    @Test(arguments: [["ls", "revtree-3.2"], ["put", "revtree-3.2", "x", "{}"]])
    func `other commands suggest import-cblite for a Couchbase Lite database`(
        words: [String]
    ) throws {
        let outcome = try shell.divan(words)
        #expect(outcome.status == 5)
        #expect(outcome.errors.contains("a Couchbase Lite database"))
        #expect(outcome.errors.contains("divan import-cblite revtree-3.2.cblite2 NEW"))
    }

    @Test func `import-cblite rejects a Divan database`() throws {
        #expect(try shell.divan(["new", "ours"]).status == 0)
        let outcome = try shell.divan(["import-cblite", "ours", "new"])
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("already a Divan database"), "\(outcome)")
        #expect(!outcome.errors.contains("divan help"), "\(outcome)")
    }
}
