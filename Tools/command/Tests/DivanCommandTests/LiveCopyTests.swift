import DivanDatabase
import DivanRevisions
import DivanTestKit
import Foundation
import Testing

/// `divan cp` of a database that another process serves and continuously writes to.
@Suite(.timeLimit(.minutes(5))) struct LiveCopyTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "served")
        try shell.run("new", "pusher")
        // So much that the log is written back into the file while a copy is made.
        let text = String(repeating: "ä lot of text, ", count: 200)
        let lines = (0..<1000).map { "{\"_id\":\"ROUND-\($0)\",\"text\":\"\(text)\"}\n" }
        try shell.write("fill.jsonl", lines.joined())
    }

    /// Writes through the serving process, round by round, until a file `stop` exists.
    private static let writing = """
        for ((round = 0; ; round++)); do
            [ ! -e stop ] || exit 0
            sed "s/ROUND/$round/" fill.jsonl > next.jsonl
            divan import served next.jsonl
        done
        """
    /// Saves documents with a blob each for a replicator to push, until a file `stop` exists.
    private static let pushing = """
        for ((n = 0; ; n++)); do
            [ ! -e stop ] || exit 0
            head -c 30000 /dev/urandom > picture
            divan put pusher "picture-$n" '{}' --blob picture=picture
        done
        """

    @Test func `a copy made during writes is consistent`() throws {
        let server = try shell.serve("served", "--no-tls")
        let replicator = try shell.start("push", "pusher", try server.url(), "--continuous")
        let writers = try [Self.writing, Self.pushing].map { try shell.startBash($0) }
        for writer in writers { for _ in 0..<4 { _ = try writer.line() } }
        let names = (0..<6).map { "copy-\($0)" }
        for name in names { try shell.run("cp", "served", name) }
        for writer in writers { #expect(writer.isRunning) }
        try shell.write("stop", "")
        for writer in writers { #expect(writer.finish().status == 0) }
        replicator.stop()
        #expect(server.stop() == 0)

        let all = try written("served")
        var counts: [Int] = []
        for name in names {
            #expect(try shell.run("check", name).output.hasPrefix("Intact: "))
            let copied = try written(name)
            // Each document was saved once, so what follows a prefix came later.
            #expect(copied == Array(all.prefix(copied.count)), "\(name)")
            counts.append(copied.count)
            try shell.run("put", name, "later", "{}")
        }
        #expect(counts == counts.sorted())
        #expect(try #require(counts.first) > 0)
        #expect(try #require(counts.last) < all.count)
        let pictures = all.filter { $0.name.hasPrefix("picture-") }.count
        #expect(pictures > 0 && pictures < all.count)
    }

    /// Gives one document another picture and removes the previous one, until a file `stop` exists.
    private static let compacting = """
        for ((n = 0; ; n++)); do
            [ ! -e stop ] || exit 0
            head -c 3000 /dev/urandom > picture
            divan put served same '{}' --blob picture=picture
            divan compact served
        done
        """

    @Test func `a copy made during compact contains every blob`() throws {
        for round in 0..<TestLength.of(2, long: 5) {
            let lines = try shell.text("fill.jsonl").replacing("ROUND", with: "\(round)")
            try shell.write("next.jsonl", lines)
            try shell.run("import", "served", "next.jsonl")
        }
        let server = try shell.serve("served", "--no-tls")
        // Until the server listens, commands can fail because the database is in use.
        _ = try server.url()
        let writer = try shell.startBash(Self.compacting)
        for _ in 0..<4 { _ = try writer.line() }
        let names = (0..<8).map { "copy-\($0)" }
        for name in names { try shell.run("cp", "served", name) }
        #expect(writer.isRunning)
        try shell.write("stop", "")
        #expect(writer.finish().status == 0)
        #expect(server.stop() == 0)
        for name in names {
            #expect(try shell.run("check", name).output.hasPrefix("Intact: "))
            try shell.run("blob", "get", name, "same", "picture", "there")
        }
    }

    private struct Written: Equatable {
        let name: String
        let revision: String
        let sequence: UInt64
    }

    /// The contents of a database, in the order in which they were written.
    private func written(_ database: String) throws -> [Written] {
        let options = StoreOptions(create: false, readOnly: true)
        let store = try Store.open(
            directory: shell.path("\(database).cblite2"),
            options: options
        )
        defer { try? store.close() }
        return try store.read { reader in
            try reader.changes(in: .default, after: 0, limit: 1_000_000).map { change in
                Written(
                    name: change.documentID.text,
                    revision: "\(change.revisionID)",
                    sequence: change.sequence
                )
            }
        }
    }
}
