import DivanTestKit
import Foundation
import Testing

/// Commands on a machine whose wall clock is wrong for a while.
@Suite(.timeLimit(.minutes(5))) struct ClockRepairCommandTests {
    private static let year = 365 * 86_400
    private let shell: Shell
    private let moved: [String: String]

    init() throws {
        shell = try Shell()
        var environment = try shell.preloading("clock_moved")
        environment["DIVAN_TEST_CLOCK"] = shell.path("clock")
        moved = environment
        try setClock(0)
    }

    private func setClock(_ seconds: Int) throws {
        try shell.write("clock", "\(seconds)\n")
    }

    @discardableResult
    private func divan(_ words: String...) throws -> Program.Outcome {
        try shell.divan(words, environment: moved)
    }

    private func curl(_ words: String...) throws -> String {
        let curl = try #require(Program.installed("curl"))
        return try curl.run(["-s", "--max-time", "60"] + words).output
    }

    @Test func `a save with a clock ahead is explained, and repair-clock fixes both sides`() throws
    {
        for name in ["a", "b"] {
            try shell.run("new", name)
            try shell.run("upgrade", name, "--yes")
        }
        try divan("put", "a", "first", "{}").expectSuccess()
        #expect(try divan("doctor", "a").output.contains("no version is ahead"))
        try setClock(Self.year)
        let ahead = try divan("put", "a", "ahead", "{}")
        ahead.expectSuccess()
        // Long sentences are wrapped.
        let told = try divan("doctor", "a").output.split(whereSeparator: \.isWhitespace)
        #expect(told.joined(separator: " ").contains("365 days later than all saves before it"))
        try setClock(0)
        try divan("put", "a", "later", "{}").expectSuccess()
        let peer = try shell.serve("b", "--no-tls")
        let url = try peer.url()
        #expect(try divan("push", "a", url).status != 0)

        let found = try divan("doctor", "a").output
        #expect(found.contains("365 days ahead of this machine's"))
        #expect(found.contains("2 documents with versions in the future"))
        #expect(found.contains("divan repair-clock a"))
        let explained = try divan("explain", "a", "later").output
        #expect(explained.contains("ahead of this machine's clock; peers refuse it until"))
        #expect(explained.contains("not pushed yet, its version is in the future"))

        let rehearsal = try divan("repair-clock", "a", "--dry-run").errors
        #expect(rehearsal.contains("give 2 documents a new version"))
        #expect(try divan("repair-clock", "a").errors.contains("gave 2 documents a new version"))
        #expect(try divan("repair-clock", "a").errors.contains("Nothing to repair"))
        #expect(try divan("doctor", "a").output.contains("no version is ahead"))
        try divan("push", "a", url).expectSuccess()
        peer.stop()
        try shell.divan("compare", "a", "b").expectSuccess()
    }

    @Test func `a restored dump with future versions is explained and repaired`() throws {
        try shell.run("new", "a")
        try shell.run("upgrade", "a", "--yes")
        try setClock(Self.year)
        try divan("put", "a", "ahead", "{}").expectSuccess()
        try setClock(0)
        try divan("dump", "a", "a.dump").expectSuccess()
        try divan("restore", "b", "a.dump").expectSuccess()
        try divan("put", "b", "later", "{}").expectSuccess()
        let found = try divan("doctor", "b").output
        #expect(found.contains("with versions in the future"))
        #expect(found.contains("divan repair-clock b"))
        try divan("repair-clock", "b").expectSuccess()
        #expect(try divan("doctor", "b").output.contains("no version is ahead"))
        try shell.run("new", "c")
        try shell.run("upgrade", "c", "--yes")
        let peer = try shell.serve("c", "--no-tls")
        try divan("push", "b", try peer.url()).expectSuccess()
        peer.stop()
        try shell.divan("compare", "b", "c").expectSuccess()
    }

    @Test
    func `repair-clock skips revision trees and rejects a clock before 2020`() throws {
        try shell.run("new", "a")
        #expect(try divan("repair-clock", "a").errors.contains("revision trees"))
        try shell.run("upgrade", "a", "--yes")
        try divan("put", "a", "one", "{}").expectSuccess()
        try divan("rm", "a", "one").expectSuccess()
        #expect(try !divan("explain", "a", "one").output.contains("is synced"))
        try setClock(-30 * Self.year)
        try divan("repair-clock", "a")
            .expectFailure(1, "the clock of this machine is wrong", "set the clock first")
    }

    @Test func `a document that expires by a clock jump is not served`() throws {
        try shell.run("new", "hub")
        for id in ["e", "stays"] { try shell.run("put", "hub", id, #"{"n":1}"#) }
        try shell.run("expire", "hub", "e", "30m")
        let server = try shell.start(
            ["serve", "hub", "--interface", "127.0.0.1", "--no-tls", "--rest", "0"],
            moved
        )
        defer { server.stop() }
        let listening = try server.event(named: "listening")
        let rest = try #require(listening["rest"] as? String) + "hub/"
        #expect(try curl(rest + "_default/e").contains(#""n":1"#))
        try setClock(40 * 60)
        #expect(try curl(rest + "_default/e").contains("not_found"))
        #expect(try !curl(rest + "_default/_changes").contains(#""e""#))
        let query = try curl("-d", #"{"query":"SELECT META().id FROM _"}"#, rest + "_query")
        #expect(query.contains("stays") && !query.contains(#""e""#), "\(query)")
        try shell.run("new", "copy")
        let url = try #require((listening["urls"] as? [String])?.first)
        try shell.run("pull", "copy", url)
        #expect(try shell.run("ls", "copy").output == "stays\n")
    }
}
