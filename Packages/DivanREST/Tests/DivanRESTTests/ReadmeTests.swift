import DivanDatabase
import DivanJSON
import DivanREST
import DivanTestKit
import Testing

/// The README's example, word for word.
@Suite struct ReadmeTests {
    @Test func `the README example works`() throws {
        let store = Store.inMemory()
        let server = RESTServer(RESTConfiguration(databases: ["notes": store]))
        let port = try server.start()
        // curl -X PUT localhost:PORT/notes/_default/soup -d '{"salt":1}'
        // curl localhost:PORT/notes/_default/soup
        // curl 'localhost:PORT/notes/_default/_changes?feed=eventsource'
        defer { server.stop() }

        let visitor = try HTTPTestClient(port: port)
        let made = try visitor.ask("PUT", "/notes/_default/soup", body: #"{"salt":1}"#)
        #expect(made.status == 201)
        #expect(try visitor.ask("GET", "/notes/_default/soup").status == 200)
    }
}
