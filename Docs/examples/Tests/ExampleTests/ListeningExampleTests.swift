import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

/// The examples with a listener work as described in their guides; each runs as a process.
@Suite(.timeLimit(.minutes(5))) struct ListeningExampleTests {
    /// An address with the port of `line` on this machine, regardless of its interfaces.
    private func local(_ line: String) throws -> URL {
        var parts = try #require(URLComponents(string: line))
        parts.host = "127.0.0.1"
        return try #require(parts.url)
    }

    @Test func `two guest books sync over TLS`() throws {
        let hall = try ExampleProgram("guestbook-example")
        let bar = try ExampleProgram("guestbook-example")
        #expect(try hall.run("sign", "Ada", "A fine evening") == [])
        #expect(try bar.run("sign", "Grace", "Good soup") == [])
        let sharing = try Program.built("guestbook-example").start(
            [hall.directory, "share", "open sesame"],
            input: .lines,
            patience: .seconds(40)
        )
        let url = try local(try sharing.line { $0.hasPrefix("wss://") }).absoluteString
        let certificate = try sharing.line { $0.hasSuffix(".pem") }
        #expect(try bar.run("sync", url, certificate, "open sesame") == ["in sync with \(url)"])
        let refusal = try bar.run("sync", url, certificate, "a guess", status: 1)
        #expect(refusal.count == 1 && refusal[0].contains("password"), "\(refusal)")
        sharing.endInput()
        #expect(sharing.finish().status == 0)
        for book in [hall, bar] {
            #expect(try book.run("read") == ["Ada: A fine evening", "Grace: Good soup"])
        }
    }

    @Test func `one process serves browsers and peers`() async throws {
        let folder = try TemporaryDirectory()
        var program = Program.built("menu-server-example")
        program.environment = ["MENU_PASSWORD": "open sesame"]
        let server = try program.start([folder.path], input: .lines, patience: .seconds(40))
        let page = try local(try server.line { $0.hasPrefix("http://") })
        let url = try local(try server.line { $0.hasPrefix("wss://") })
        let soup = #"{"name":"Lentil","price":4.5}"#
        try ask(page, soup)

        let copy = try Database.inMemory().createCollection(name: "menu")
        var config = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: copy)],
            target: URLEndpoint(url: url)
        )
        config.acceptOnlySelfSignedServerCertificate = true
        config.authenticator = BasicAuthenticator(username: "till", password: "open sesame")
        try await Replicator(config: config).run()
        #expect(try copy.document(id: "soup")?.toJSON() == soup)
        server.endInput()
        #expect(server.finish().status == 0)
    }

    /// The response to a request that a browser would send.
    private func ask(_ page: URL, _ soup: String) throws {
        let port = try #require(page.port.flatMap { UInt16(exactly: $0) })
        let client = try HTTPTestClient(port: port)
        #expect(try client.ask("PUT", "/menu/soup", body: soup).status == 204)
        #expect(try client.ask("GET", "/menu/soup").text == soup)
        #expect(try client.ask("GET", "/menu").text == "[\(soup)]")
        #expect(try client.ask("GET", "/metrics").text.contains("divan_databases 1\n"))
        #expect(try client.ask("GET", "/menu/tea").status == 404)
        #expect(try client.ask("PUT", "/menu/tea", body: "[1]").status == 400)
        #expect(try client.ask("GET", "/").status == 404)
    }

    @Test func `menu-server-example does not start without a password`() throws {
        let outcome = try Program.built("menu-server-example").run(["/nowhere"])
        #expect(outcome.status == 2)
        #expect(outcome.lines.first?.hasPrefix("Usage: ") == true)
    }
}
