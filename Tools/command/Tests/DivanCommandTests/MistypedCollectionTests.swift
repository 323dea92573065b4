import DivanTestKit
import Foundation
import Testing

/// A mistyped name of a collection leaves no collection behind.
@Suite(.timeLimit(.minutes(5))) struct MistypedCollectionTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "peer", "--collections", "zoo.cats")
        try shell.run("put", "peer", "tom", "{}", "-c", "zoo.cats")
        try shell.run("new", "db")
    }

    private func collections() throws -> [String] {
        try shell.run("lscoll", "db").lines.compactMap {
            $0.split(separator: " ").first.map(String.init)
        }
    }

    @Test(arguments: ["pull", "sync"])
    func `a new collection that the peer lacks is removed again`(_ verb: String) throws {
        let server = try shell.serve("peer", "--no-tls")
        defer { server.stop() }
        let url = try server.url()
        try shell.divan(verb, "db", url, "-c", "zoo.catz").expectFailure(3, "zoo.catz")
        #expect(try collections() == ["_default"])
        // If it existed, the peer would refuse every run over the whole database.
        try shell.run("sync", "db", url)
        try shell.run(verb, "db", url, "-c", "zoo.cats")
        #expect(try collections() == ["_default", "zoo.cats"])
        #expect(try shell.run("ls", "db", "-c", "zoo.cats").output == "tom\n")
    }

    @Test func `an existing collection is kept, and a deleted one is not recreated`() throws {
        let server = try shell.serve("peer", "--no-tls")
        defer { server.stop() }
        let url = try server.url()
        try shell.run("mkcoll", "db", "zoo.empty", "zoo.gone")
        try shell.run("put", "db", "x", "{}", "-c", "zoo.gone")
        try shell.run("collections", "db", "--rm", "zoo.gone", "--yes")
        for name in ["zoo.empty", "zoo.gone"] {
            try shell.divan("pull", "db", url, "-c", name).expectFailure(3, name)
        }
        #expect(try collections() == ["_default", "zoo.empty"])
    }

    @Test func `a failed sync leaves no new collection`() throws {
        let url = "ws://127.0.0.1:1/peer"
        #expect(try shell.divan("pull", "db", url, "-c", "zoo.cats").status == 6)
        let wrong = try shell.divan("pull", "db", url, "-c", "zoo.cats", "--where", "nonsense (")
        #expect(wrong.status == 4, "\(wrong)")
        #expect(try collections() == ["_default"])
    }

    @Test func `a failed import leaves no new collection`() throws {
        try shell.divan("import", "db", "nothing.jsonl", "-c", "zoo.cats")
            .expectFailure(3, "nothing.jsonl")
        try shell.write("broken.jsonl", "no json\n")
        #expect(try shell.divan("import", "db", "broken.jsonl", "-c", "zoo.cats").status == 4)
        #expect(try collections() == ["_default"])
        try shell.write("empty.jsonl", "")
        try shell.run("import", "db", "empty.jsonl", "-c", "zoo.cats")
        #expect(try collections() == ["_default", "zoo.cats"])
    }
}
