import DivanMemoryEngine
import DivanRevisions
import DivanStore
import Testing

@Suite struct CustomEngineTests {
    @Test func `a store works with any engine`() throws {
        let store = try Store(engine: MemoryEngine())
        try store.write { _ = try $0.save("a", in: .default, body: Array("{}".utf8)) }
        #expect(try store.read { try $0.count(in: .default) } == 1)
        #expect(store.publicUUID.count == 16 && store.publicUUID != store.privateUUID)
    }
}
