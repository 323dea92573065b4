import CouchbaseLiteSwift
import Dispatch
import Foundation
import Testing

/// The code of from-couchbase-lite.md that leaves the settings of the process alone; the rest is
/// compiled, but would change the queue, the logs and the identities of other tests.
@Suite struct ProcessTests {
    @Test func `a daemon uses its own data directory and queue`() throws {
        let directory = NSTemporaryDirectory() + "divan-process-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let database = try openDatabase(dataDirectory: directory)
        #expect(database.path?.hasPrefix(directory) == true)
        let menu = try database.createCollection(name: "menu")

        let heard = DispatchSemaphore(value: 0)
        let token = keepListening(to: menu) { ids in if ids == ["soup"] { heard.signal() } }
        try menu.save(document: MutableDocument(id: "soup"))
        #expect(heard.wait(timeout: .now() + 10) == .success)
        token.remove()
        try database.close()
    }
}
