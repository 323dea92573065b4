import DivanDatabase
import DivanRevisions
import DivanTestKit
import Foundation
import Testing

/// Copies and changes of the key that are stopped before they are done.
@Suite struct StoppedCopyTests {
    private let home: TemporaryDirectory
    private let control = QueryControl()

    init() throws {
        home = try TemporaryDirectory()
        control.cancel()
    }

    private var directory: String { home.file("a.cblite2") }

    private func open(_ options: StoreOptions = StoreOptions()) throws -> Store {
        let store = try Store.open(directory: directory, options: options)
        let digest = try store.blobs.write([UInt8](repeating: 1, count: 300_000))
        let body = #"{"b":{"@type":"blob","digest":"\#(digest)","length":300000}}"#
        _ = try store.save("doc", in: .default, body: Array(body.utf8))
        return store
    }

    @Test(arguments: [false, true])
    func `a cancelled copy leaves no files`(isSealed: Bool) throws {
        let sealing = isSealed ? try TestSealing(1) : nil
        try open(StoreOptions(sealing: sealing)).close()
        #expect(throws: StoreError.self) {
            try LongWork.stopping(by: control) {
                try Store.copy(directory: directory, to: home.file("b.cblite2"), sealing: sealing)
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.path) == ["a.cblite2"])
        try Store.copy(directory: directory, to: home.file("b.cblite2"), sealing: sealing)
    }

    @Test func `a cancelled key change leaves the database unchanged`() throws {
        let store = try open()
        let before = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
        #expect(throws: StoreError.self) {
            try LongWork.stopping(by: control) { try store.changeSealing(to: TestSealing(1)) }
        }
        #expect(!store.isSealed)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == before)
        #expect(try store.read { try $0.document("doc", in: .default) } != nil)
        try store.changeSealing(to: TestSealing(1))
        #expect(store.isSealed)
        try store.close()
    }
}
