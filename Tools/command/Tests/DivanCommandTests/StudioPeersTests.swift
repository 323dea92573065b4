import DivanTestKit
import Foundation
import Testing

/// The page about peers, in a real browser, while real peers connect and disconnect.
@Suite(
    .serialized,
    .timeLimit(.minutes(5)),
    .enabled(if: Browser.isInstalled, "make setup installs chromium where it is a package")
)
struct StudioPeersTests {
    private let shell: Shell
    private let browser: Browser

    init() throws {
        shell = try Shell()
        browser = try Browser()
        for name in ["notes", "copy"] { try shell.run("new", name) }
        try shell.run("put", "notes", "soup", #"{"salt":1}"#)
        try shell.write("secret.txt", "open sesame\n")
        try shell.divan(
            ["users", "add", "users.json", "anna"],
            environment: ["DIVAN_PASSWORD": "open sesame"]
        ).expectSuccess()
    }

    /// Opens the page about peers, and marks it: a reloaded page has no mark.
    private func openPeers() throws -> Peer {
        let studio = try shell.start("studio", "notes")
        let address = try #require(try studio.event(named: "listening")["url"] as? String)
        let shown = "document.getElementById('main')?.dataset.shown"
        try browser.open(address, until: shown)
        let origin = address.prefix { $0 != "?" }.dropLast()
        try browser.open("\(origin)/peers", until: "\(shown) === '/peers'")
        try browser.evaluate("window.isTheFirst = true")
        return studio
    }

    private func waitForPage(_ words: String, isThere: Bool = true) throws {
        let text = "document.getElementById('main').innerText.includes('\(words)')"
        try browser.wait("window.isTheFirst && \(isThere ? "" : "!")\(text)")
    }

    @Test func `the peers page shows a listener and its clients while they run`() throws {
        let studio = try openPeers()
        try waitForPage("No process is serving or syncing this database.")

        let server = try shell.serve("notes", "--no-tls", "--users", "users.json")
        let url = try server.url()
        try waitForPage("divan serve, process \(server.process.processIdentifier)")
        try waitForPage("anna", isThere: false)

        let words = ["sync", "copy", url, "--continuous", "--user", "anna"]
        let peer = try shell.start(words + ["--password-file", "secret.txt"])
        try peer.wait(for: "idle")
        try waitForPage("anna")
        try waitForPage("127.0.0.1")

        peer.stop()
        try waitForPage("anna", isThere: false)
        try waitForPage("divan serve")
        server.stop()
        try waitForPage("No process is serving or syncing this database.")
        #expect(try browser.complaints() == [])
        studio.stop()
    }

    @Test func `the peers page drops a killed replicator`() throws {
        let server = try shell.serve("copy", "--no-tls")
        let url = try server.url()
        let studio = try openPeers()
        let replicator = try shell.start("sync", "notes", url, "--continuous")
        try replicator.wait(for: "idle")
        try waitForPage("divan sync, process \(replicator.process.processIdentifier)")
        try waitForPage(url)
        replicator.killHard()
        try waitForPage("No process is serving or syncing this database.")
        studio.stop()
        server.stop()
    }
}
