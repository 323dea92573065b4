import DivanTestKit
import Foundation
import Testing

/// `--full-sync`: what was confirmed is on the disk.
@Suite struct FullSyncTests {
    private let shell: Shell
    private let counting: [String: String]

    init() throws {
        shell = try Shell()
        counting = try shell.preloading("count_syncs")
    }

    /// How often a program synced the log of its database.
    private func syncCount(_ name: String) -> Int {
        (try? shell.text(name).utf8.count) ?? 0
    }

    private func environment(_ name: String) -> [String: String] {
        counting.merging(["DIVAN_SYNCS": shell.path(name)]) { $1 }
    }

    @Test func `serve --full-sync writes each push to disk before it replies`() throws {
        for options in [[], ["--full-sync"]] {
            try shell.run("new", "hub")
            try shell.run("new", "edge")
            let server = try shell.start(
                ["serve", "hub", "--interface", "127.0.0.1", "--no-tls"] + options,
                environment("syncs")
            )
            let url = try server.url()
            for number in 0..<5 {
                try shell.run("put", "edge", "doc-\(number)", "{}")
                try shell.run("push", "edge", url)
            }
            #expect(options.isEmpty ? syncCount("syncs") < 5 : syncCount("syncs") >= 5)
            server.stop()
            try shell.bash("rm -rf hub.cblite2 edge.cblite2 syncs").expectSuccess()
        }
    }

    @Test func `pull --full-sync writes to disk before it confirms`() throws {
        try shell.run("new", "hub")
        try shell.run("put", "hub", "doc", "{}")
        let server = try shell.serve("hub", "--no-tls")
        defer { server.stop() }
        let url = try server.url()
        for (name, options) in [("soon", []), ("now", ["--full-sync"])] {
            try shell.run("new", name)
            let words = ["pull", name, url] + options
            try shell.divan(words, environment: environment("\(name).syncs")).expectSuccess()
        }
        #expect(syncCount("now.syncs") > syncCount("soon.syncs"))
    }
}
