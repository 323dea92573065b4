import DivanTestKit
import Foundation
import Testing

/// `divan check --repair-from`: what a disk has changed is restored from a peer.
@Suite struct RepairTests {
    private let shell: Shell

    /// Two equal databases, of which `db` has a damaged document and a damaged blob.
    init() throws {
        shell = try Shell()
        try shell.run("new", "db")
        for number in 0..<20 {
            try shell.run("put", "db", "doc-\(number)", #"{"t":"is \#(number)."}"#)
        }
        try shell.write("f.txt", "the content of a blob")
        try shell.run("blob", "put", "db", "picture", "f", "f.txt")
        try shell.run("cp", "db", "peer")
        try flip("is 7.", in: shell.path("db.cblite2/db.sqlite3"))
        let folder = shell.path("db.cblite2/Attachments")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        let blob = try #require(names.first { $0.hasSuffix(".blob") })
        try flip("content", in: "\(folder)/\(blob)")
    }

    private func flip(_ text: String, in path: String) throws {
        let file = URL(filePath: path)
        var bytes = try Data(contentsOf: file)
        let place = try #require(bytes.range(of: Data(text.utf8)))
        bytes[place.upperBound - 2] ^= 1
        try bytes.write(to: file)
    }

    @Test func `damaged documents and blobs are downloaded from a peer`() throws {
        try shell.divan("check", "db").expectFailure(5, "1 document damaged, 1 blob damaged")
        let server = try shell.serve("peer", "--no-tls")
        defer { server.stop() }
        let outcome = try shell.run("check", "db", "--repair-from", try server.url())
        #expect(outcome.errors.contains("Repaired 2"))
        #expect(outcome.output == "Intact: 21 documents and 1 blob\n")
        #expect(
            try shell.run("compare", "db", "peer").output == "Equal: 21 documents and 1 blob\n"
        )
    }

    @Test func `damage that the peer cannot repair is reported with exit code 5`() throws {
        try shell.run("purge", "peer", "doc-7")
        let server = try shell.serve("peer", "--no-tls")
        defer { server.stop() }
        let outcome = try shell.divan("check", "db", "--repair-from", try server.url())
        outcome.expectFailure(5, "1 document damaged")
        #expect(outcome.output.contains("doc-7"))
    }

    @Test func `a lost unpushed change is reported by exit code and JSON`() throws {
        try shell.run("put", "db", "doc-9", #"{"t":"changed 9."}"#)
        try FileManager.default.copyItem(
            atPath: shell.path("db.cblite2"),
            toPath: shell.path("again.cblite2")
        )
        for name in ["db", "again"] {
            try flip("changed 9.", in: shell.path("\(name).cblite2/db.sqlite3"))
        }
        let server = try shell.serve("peer", "--no-tls")
        defer { server.stop() }
        let url = try server.url()
        let machine = try shell.divan("check", "db", "--repair-from", url, "--json")
        machine.expectFailure(8, "repaired, but lost 1 item", "'lost' lists them")
        let told = try machine.json()
        let lost = try #require(told["lost"] as? [String])
        #expect(lost.count == 1 && lost[0].contains("doc-9"), "\(lost)")
        #expect(told["repaired"] as? Int == 3 && (told["damages"] as? [Any])?.isEmpty == true)
        let person = try shell.divan("check", "again", "--repair-from", url)
        #expect(person.status == 8 && person.errors.contains("Lost (never pushed): "))
    }

    @Test func `a repair dry run works even if the file cannot be opened`() throws {
        let words = ["check", "db", "--repair-from", "ws://127.0.0.1:1/peer", "--dry-run"]
        let damaged = try shell.divan(words + ["--json"])
        damaged.expectFailure(5, "1 document damaged")
        let told = try damaged.json()
        #expect(told["wanted"] as? Int == 2 && told["rebuild"] as? Bool == false)
        #expect((told["damages"] as? [String])?.count == 2 && told["dryRun"] as? Bool == true)
        try breakBeginning()
        let broken = try shell.divan(words + ["--json"])
        broken.expectFailure(5, "damaged")
        #expect(try broken.json()["rebuild"] as? Bool == true)
        #expect(try shell.divan(words).errors.contains("Would rebuild the database"))
    }

    private func breakBeginning() throws {
        let file = URL(filePath: shell.path("db.cblite2/db.sqlite3"))
        var bytes = try Data(contentsOf: file)
        for place in 100..<300 { bytes[place] = 0x5A }
        try bytes.write(to: file)
    }

    @Test func `a repair with an unreachable peer changes nothing`() throws {
        let outcome = try shell.divan("check", "db", "--repair-from", "ws://127.0.0.1:1/peer")
        outcome.expectFailure(6)
        try shell.divan("check", "db").expectFailure(5, "1 document damaged, 1 blob damaged")
    }

    @Test func `a database that cannot be opened is rebuilt from the peer`() throws {
        try breakBeginning()
        let server = try shell.serve("peer", "--no-tls")
        defer { server.stop() }
        let outcome = try shell.run("check", "db", "--repair-from", try server.url())
        #expect(outcome.errors.contains("rebuilding the database"))
        #expect(outcome.errors.contains("db.damaged.cblite2"))
        #expect(outcome.output == "Intact: 21 documents and 1 blob\n")
        #expect(
            try shell.run("compare", "db", "peer").output == "Equal: 21 documents and 1 blob\n"
        )
    }

    @Test func `a document that neither the file nor the peer has is reported`() throws {
        try shell.run("purge", "peer", "doc-9")
        try shell.run("compact", "db")
        // The page of the documents, which are few.
        let file = URL(filePath: shell.path("db.cblite2/db.sqlite3"))
        var bytes = try Data(contentsOf: file)
        let place = try #require(bytes.range(of: Data("is 9.".utf8)))
        let page = place.lowerBound / 8_192 * 8_192
        for place in page..<page + 64 { bytes[place] = 0x5A }
        try bytes.write(to: file)
        let server = try shell.serve("peer", "--no-tls")
        defer { server.stop() }
        let outcome = try shell.divan("check", "db", "--repair-from", try server.url())
        outcome.expectFailure(8, "repaired, but lost 1 item", "they are listed above")
        #expect(outcome.errors.contains("Lost: document doc-9 of _default._default"), "\(outcome)")
        #expect(try shell.run("ls", "db").lines.count == 20)
    }
}
