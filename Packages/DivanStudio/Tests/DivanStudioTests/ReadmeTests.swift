import DivanDatabase
import DivanStudio
import Testing

/// The README's example, word for word.
@Suite struct ReadmeTests {
    @Test func `the README example starts and stops a studio`() throws {
        let store = Store.inMemory()
        let studio = StudioServer(StudioConfiguration(store: store, name: "notes", mayWrite: true))
        print("Open \(try studio.start())")
        let again = try studio.start()
        #expect(again.hasPrefix("http://127.0.0.1:"), "one that runs keeps its address")
        studio.stop()
    }
}
