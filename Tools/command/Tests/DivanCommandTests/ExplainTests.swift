import DivanTestKit
import Foundation
import Testing

/// `divan explain DB DOC`: why a document is where it is.
@Suite(.timeLimit(.minutes(5))) struct ExplainTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "a", "--collections", "geo.places")
        try shell.run("new", "b")
        try shell.run("put", "a", "soup", #"{"salt":1}"#)
    }

    /// What is reported, by step.
    private func explained(_ id: String, in database: String = "a") throws -> [String: String] {
        let outcome = try shell.run("explain", database, id, "--json")
        var found: [String: String] = [:]
        for line in outcome.output.split(separator: "\n") {
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            let finding = try #require(value as? [String: String])
            found[try #require(finding["step"])] = finding["seen"]
        }
        return found
    }

    @Test func `explain shows a document that was never synced`() throws {
        let found = try explained("soup")
        #expect(found["document"]?.hasPrefix("exists: revision 1-") == true)
        #expect(found["peers"] == "never synced")
        let page = try shell.run("explain", "a", "soup").output
        #expect(page.hasPrefix("ok    document    exists: "))
    }

    @Test func `explain and doctor mention peers that connected to this database`() throws {
        let server = try shell.serve("a", "--no-tls")
        try shell.run("pull", "b", try server.url(), "--collections", "_default")
        server.stop()
        let told = "never synced as a client; connecting peers have "
        #expect(try explained("soup")["peers"]?.hasPrefix(told) == true)
        #expect(try shell.run("doctor", "a").output.contains(told))
    }

    @Test func `explain shows whether a document is in sync, pending or deleted`() throws {
        let peer = try shell.serve("b", "--no-tls")
        let url = try peer.url()
        try shell.run("push", "a", url, "--collections", "_default")
        #expect(try explained("soup")["peer"]?.contains(": in sync, the peer has 1-") == true)
        try shell.run("put", "a", "soup", #"{"salt":2}"#)
        #expect(try explained("soup")["peer"]?.contains("not pushed yet; the peer has 1-") == true)
        try shell.run("put", "a", "tea", "{}")
        #expect(try explained("tea")["peer"]?.contains("the peer does not have it") == true)
        try shell.run("rm", "a", "tea")
        #expect(try explained("tea")["document"]?.hasPrefix("deleted: ") == true)
        peer.stop()
    }

    /// The two sides differ, although nothing is pending.
    @Test func `explain warns of a document that a filter skips`() throws {
        let peer = try shell.serve("b", "--no-tls")
        let url = try peer.url()
        try shell.run("push", "a", url, "--collections", "_default", "--push-filter", "salt>5")
        peer.stop()
        #expect(try explained("soup")["peer"]?.contains("the peer does not have it") == true)
        let page = try shell.run("explain", "a", "soup").output
        #expect(!page.contains("ok    peer"))
    }

    @Test func `explain shows why the peer rejected a document`() throws {
        try shell.run("put", "b", "soup", #"{"salt":9}"#)
        let peer = try shell.serve("b", "--no-tls")
        _ = try shell.divan("push", "a", try peer.url(), "--collections", "_default")
        let seen = try #require(try explained("soup")["peer"])
        #expect(seen.contains("refused 1-") && seen.contains(" 409 "), "\(seen)")
        peer.stop()
    }

    @Test func `explain shows a document in conflict`() throws {
        try shell.run("put", "b", "soup", #"{"salt":9}"#)
        let peer = try shell.serve("b", "--no-tls")
        let words = ["pull", "a", try peer.url(), "--collections", "_default"]
        _ = try shell.divan(words + ["--conflicts", "leave"])
        peer.stop()
        let found = try explained("soup")
        #expect(found["conflict"]?.contains("not pushed until resolved") == true)
        #expect(found["peer"]?.contains("not pushed because of the conflict") == true)
    }

    @Test func `explain shows missing documents, other collections and expirations`() throws {
        try shell.divan("explain", "a", "gone").expectFailure(3, "a purge leaves no trace")
        try shell.run("put", "a", "rome", "{}", "-c", "geo.places")
        try shell.divan("explain", "a", "rome").expectFailure(3, "-c geo.places")
        try shell.run("expire", "a", "soup", "2040-01-01")
        #expect(try explained("soup")["expiry"]?.contains("2040-01-01") == true)
    }
}
