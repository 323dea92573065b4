import DivanTestKit
import Foundation
import Testing

/// `divan studio`, beyond what its package does: which process shows the page, and of which database.
@Suite(.timeLimit(.minutes(5))) struct StudioCommandTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "notes")
        try shell.run("put", "notes", "soup", #"{"salt":1}"#)
    }

    /// Opens the address with its token, and then sends a request with the cookie.
    private func ask(_ address: String, _ path: String, _ words: String...) throws -> String {
        let curl = try #require(Program.installed("curl"))
        let origin = String(address.prefix { $0 != "?" }.dropLast())
        let jar = shell.path("cookies")
        let visit = try curl.run(["-s", "-L", "-c", jar, "-b", jar, address])
        #expect(visit.output.contains("<!doctype html>"))
        let header = ["-H", "Origin: \(origin)", "-H", "Content-Type: application/json"]
        return try curl.run(["-s", "-b", jar] + header + words + [origin + path]).output
    }

    private func address(_ studio: Peer) throws -> String {
        try #require(try studio.event(named: "listening")["url"] as? String)
    }

    @Test func `studio reads while another process writes`() throws {
        let server = try shell.serve("notes", "--no-tls")
        _ = try server.url()
        let studio = try shell.start("studio", "notes")
        let address = try address(studio)
        #expect(try ask(address, "/document.json?id=soup").contains(#""salt":1"#))
        #expect(try ask(address, "/index.json").contains(#""write":false"#))
        try shell.run("put", "notes", "stew", "{}")
        #expect(try ask(address, "/collection.json").contains(#""stew""#))
        let put = try ask(address, "/document.json?id=x", "-X", "PUT", "-d", "{}")
        #expect(put.contains("--write"))
        #expect(studio.stop() == 0)
        server.stop()
    }

    @Test func `studio --write runs in the process that has the database open`() throws {
        let server = try shell.serve("notes", "--no-tls")
        _ = try server.url()
        let studio = try shell.start("studio", "notes", "--write")
        let address = try address(studio)
        let put = try ask(address, "/document.json?id=x", "-X", "PUT", "-d", #"{"n":1}"#)
        #expect(put.contains(#""rev":"#), "\(put)")
        #expect(try shell.run("get", "notes", "x", "--raw").output == "{\"n\":1}\n")
        studio.stop()
        server.stop()
    }

    @Test func `studio --write accepts commands of other shells`() throws {
        let studio = try shell.start("studio", "notes", "--write")
        let address = try address(studio)
        try shell.run("put", "notes", "stew", "{}")
        #expect(try ask(address, "/collection.json").contains(#""stew""#))
        #expect(studio.stop() == 0)
    }
}
