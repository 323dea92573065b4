import DivanTestKit
import Foundation
import Testing

/// Blobs that a pull leaves at the peer, and that are fetched later.
@Suite(.timeLimit(.minutes(5))) struct BlobFetchTests {
    private let shell: Shell
    private let large = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

    init() throws {
        shell = try Shell()
        try shell.run("new", "a")
        try shell.run("new", "b")
        try large.write(to: URL(fileURLWithPath: shell.path("large.jpg")))
        try shell.write("small.txt", "hello")
        try shell.run("put", "a", "one", "{}")
        try shell.run("blob", "put", "a", "one", "photo", "large.jpg")
        try shell.run("blob", "put", "a", "two", "text", "small.txt")
    }

    private func sizes() throws -> [String: Int] {
        var sizes: [String: Int] = [:]
        for line in try shell.run("blob", "ls", "b", "--json").output.split(separator: "\n") {
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            let row = try #require(value as? [String: Any])
            sizes[try #require(row["id"] as? String)] = row["bytes"] as? Int ?? -1
        }
        return sizes
    }

    @Test func `a lazy pull skips blobs, and blob fetch downloads the requested ones`() throws {
        let server = try shell.serve("a", "--no-tls")
        let url = try server.url()
        try shell.run("pull", "b", url, "--blobs", "lazy")
        #expect(try sizes() == ["one": -1, "two": -1])
        let one = try shell.run("blob", "fetch", "b", url, "two")
        #expect(one.errors == "Fetched 1 blob, 5 B\n", "\(one.errors)")
        #expect(try sizes() == ["one": -1, "two": 5])
        let rest = try shell.run("blob", "fetch", "b", url, "--json").json()
        #expect(rest["fetched"] as? Int == 1 && rest["bytes"] as? Int == 300_000)
        try shell.run("blob", "get", "b", "one", "photo", "out.jpg")
        #expect(try Data(contentsOf: URL(fileURLWithPath: shell.path("out.jpg"))) == large)
        let none = try shell.run("blob", "fetch", "b", url)
        #expect(none.errors == "No blobs to download\n")
        server.stop()
    }

    @Test func `a pull with a size limit skips larger blobs`() throws {
        let server = try shell.serve("a", "--no-tls")
        let url = try server.url()
        try shell.run("sync", "b", url, "--blobs", "1 kB")
        #expect(try sizes() == ["one": -1, "two": 5])
        try shell.divan("pull", "b", url, "--blobs", "huge").expectFailure(2, "2MB")
        try shell.divan("pull", "b", url, "--blobs", "99999999999999999999GB")
            .expectFailure(2, "2MB")
        try shell.divan("push", "b", url, "--blobs", "lazy").expectFailure(2, "--blobs")
        try shell.divan("blob", "fetch", "b", url, "none").expectFailure(3, "none")
        server.stop()
        try shell.divan("blob", "fetch", "b", url).expectFailure(6)
    }

    @Test func `blob fetch runs in the process that has the database open`() throws {
        let server = try shell.serve("a", "--no-tls")
        let url = try server.url()
        try shell.run("pull", "b", url, "--blobs", "lazy")
        let holder = try shell.start(
            ["serve", "b", "--interface", "127.0.0.1", "--no-tls"],
            ["DIVAN_SESSION": "the holder's own"]
        )
        _ = try holder.url()
        try shell.divan("blob", "fetch", "b", url, "--user", "anna")
            .expectFailure(2, "--password-file")
        // The other shell's session, not the holder's own.
        let refusal = HandshakeServer.answer("401 Unauthorized")
        // The two blobs may be requested in one connection or in two.
        let refusing = try HandshakeServer(answers: [refusal, refusal])
        let target = "ws://127.0.0.1:\(refusing.port)/a"
        try shell.divan(["blob", "fetch", "b", target], environment: ["DIVAN_SESSION": "theirs"])
            .expectFailure(7)
        #expect(refusing.field("Cookie") == "SyncGatewaySession=theirs")
        let outcome = try shell.run("blob", "fetch", "b", url)
        #expect(outcome.errors == "Fetched 2 blobs, 300.0 kB\n", "\(outcome.errors)")
        #expect(try sizes() == ["one": 300_000, "two": 5])
        holder.stop()
        server.stop()
    }
}
