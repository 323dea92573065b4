import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// What could not be synced is mentioned by every command until it is.
@Suite(.timeLimit(.minutes(5))) struct FailedSyncTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
    }

    /// The output of a command; long sentences are wrapped there.
    private func findings(_ words: String...) throws -> String {
        try shell.divan(words).output.split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
    }

    /// The blob of a document on a server is damaged and repaired.
    @Test(arguments: ["pull", "sync"])
    func `a document that a peer cannot send is mentioned until it arrives`(
        _ verb: String
    ) throws {
        try shell.run("new", "a")
        try shell.run("put", "a", "d", #"{"v":1}"#)
        try shell.write("big", "0123456789")
        try shell.run("blob", "put", "a", "d", "file", "big")
        try shell.run("put", "a", "other", "{}")
        let folder = shell.path("a.cblite2/Attachments")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        let blob = URL(filePath: folder + "/" + (try #require(names.first)))
        let content = try Data(contentsOf: blob)
        try FileManager.default.removeItem(at: blob)
        try content.prefix(3).write(to: blob)
        let server = try shell.serve("a", "--no-tls")
        let url = try server.url()
        try shell.run("new", "b")
        try shell.divan(verb, "b", url).expectFailure(8, "1 document could not be synced")

        // Asked for again, and refused again.
        try shell.divan(verb, "b", url).expectFailure(8, "1 document could not be synced")
        let pending = try shell.run("pending", "b")
        #expect(pending.output.hasPrefix("_default/d  not pulled, "), "\(pending)")
        #expect(try shell.run("pending", "b", "--count").output.hasSuffix("  1 not pulled\n"))
        let object = try shell.run("pending", "b", "--json").json()
        #expect(object["notPulled"] as? Bool == true && object["id"] as? String == "d")
        let explained = try findings("explain", "b", "d")
        #expect(explained.contains("could not be pulled on"), "\(explained)")
        let doctor = try findings("doctor", "b")
        #expect(doctor.contains("1 document not pulled, 0 pending"), "\(doctor)")
        // A run that does not ask for it mentions it.
        let limited = try shell.run(verb, "b", url, "--documents", "other")
        #expect(limited.output.contains("1 document could not be pulled earlier"), "\(limited)")
        #expect(limited.errors.contains("add '--retry-refused' to try them again"))

        try FileManager.default.removeItem(at: blob)
        try content.write(to: blob)
        let repaired = try shell.run(verb, "b", url)
        #expect(repaired.output.hasPrefix("Pulled 1 document"), "\(repaired)")
        #expect(try shell.run("pending", "b").output.isEmpty)
        #expect(try shell.run("blob", "get", "b", "d", "file").output == "0123456789")
        #expect(try !findings("doctor", "b").contains("not pulled"))
        server.stop()
    }

    @Test func `a new database takes all collections and suggests no others`() throws {
        try shell.run("new", "a", "--collections", "x.a,x.b")
        try shell.run("put", "a", "d", "{}", "-c", "x.b")
        try shell.run("new", "b")
        let server = try shell.serve("a", "--no-tls")
        let outcome = try shell.run("pull", "b", try server.url())
        #expect(!outcome.errors.contains("also shares"), "\(outcome)")
        #expect(try shell.run("ls", "b", "-c", "x.b").output == "d\n")
        server.stop()
    }

    @Test func `a user with read-only access gets the reason why changes are not pushed`() throws {
        try shell.run("new", "a")
        try shell.run("new", "b")
        try shell.run("put", "b", "q", "{}")
        try shell.write("pw.txt", "secret\n")
        try shell.run(
            "users",
            "add",
            "u.json",
            "ro",
            "--password-file",
            "pw.txt",
            "--read-only"
        )
        let server = try shell.serve("a", "--no-tls", "--users", "u.json")
        let url = try server.url()
        let words = [
            "sync", "b", url, "-u", "ro", "--password-file", "pw.txt", "--continuous",
        ]
        let cause = "the user has read-only access"
        let follower = try shell.startBash("exec divan " + words.joined(separator: " "))
        try follower.wait(for: "Not in sync: \(cause)")
        follower.signal(.terminate)
        #expect(follower.finish().status == 0)

        let machine = try shell.start(words)
        _ = try machine.event { $0["event"] as? String == "progress" && $0["error"] != nil }
        let explained = try findings("explain", "b", "q")
        #expect(explained.contains("the running sync reports: \(cause)"), "\(explained)")
        machine.stop()
        let later = try findings("explain", "b", "q")
        #expect(later.contains("or the peer accepts no changes from your user"), "\(later)")
        server.stop()
    }
}
