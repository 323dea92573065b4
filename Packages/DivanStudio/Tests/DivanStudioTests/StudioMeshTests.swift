import DivanDatabase
import DivanJSON
import DivanStudio
import DivanTestKit
import Synchronization
import Testing

/// The picture of a mesh in a real browser.
@Suite(
    .timeLimit(.minutes(5)),
    .enabled(if: Browser.isInstalled, "make setup installs chromium where it is a package")
)
struct StudioMeshTests {
    @Test func `the peers page draws a mesh, lists its links, and follows changes`() throws {
        let statuses = Mutex([MeshFigures.kitchen()])
        let studio = StudioServer(
            StudioConfiguration(
                store: .inMemory(),
                name: "notes",
                peers: { statuses.withLock { $0 } }
            )
        )
        let address = try studio.start()
        defer { studio.stop() }
        let origin = address.prefix { $0 != "?" }.dropLast()
        let browser = try Browser()
        try browser.open(address)
        try browser.open("\(origin)/peers")
        try browser.evaluate("window.isTheFirst = true")
        // Only a valid picture that the policy permits has a size.
        try browser.wait("document.querySelector('img.mesh')?.naturalWidth > 0")
        let row = "document.querySelector('tbody tr').innerText"
        let cells = try browser.evaluate("\(row).split('\\t').map((cell) => cell.trim()).join('|')")
        #expect(cells.string == "hall|online|ring|outgoing|busy|12|40|7|")
        #expect(try browser.text("#main").contains("certificate rejected"))
        statuses.withLock { $0 = [MeshFigures.kitchen(rate: 3, pending: 5, updated: "2")] }
        try browser.wait("window.isTheFirst && \(row).includes('\\t3\\t5\\t')")
        let source = "document.querySelector('img.mesh')"
        try browser.wait("\(source).src.endsWith('at=2') && \(source).naturalWidth > 0")
        #expect(try browser.complaints() == [])
    }
}

/// The picture as a file, without a browser.
@Suite struct MeshPictureRequestTests {
    @Test func `a picture is an SVG file that runs no scripts, and only running meshes have one`()
        throws
    {
        let room = try StudioFixture(peers: [MeshFigures.kitchen()])
        let visitor = try HTTPTestClient(port: room.port)
        let host = "Host: 127.0.0.1:\(room.port)"
        let cookie = "Cookie: divan-studio-\(room.port)=\(room.token)"
        let found = try visitor.ask("GET", "/mesh.svg?process=7&group=home", naming: host, cookie)
        #expect(found.status == 200 && found.field("Content-Type") == "image/svg+xml")
        #expect(found.field("Content-Security-Policy")?.hasPrefix("default-src 'none'; ") == true)
        #expect(found.text.hasPrefix("<svg "))
        for query in ["", "?process=7", "?process=7&group=hall", "?process=8&group=home"] {
            let answer = try visitor.ask("GET", "/mesh.svg\(query)", naming: host, cookie)
            #expect(answer.status == 404, "\(query)")
        }
    }
}
