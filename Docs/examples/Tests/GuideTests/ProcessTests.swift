import CouchbaseLiteSwift
import Dispatch
import Foundation
import Testing

/// The code of from-couchbase-lite.md, in a process of its own settings.
@Suite(.serialized) struct ProcessTests {
    @Test func `a daemon has its queue, its directory, its identity and its logs`() throws {
        let directory = NSTemporaryDirectory() + "divan-process-\(UUID().uuidString)"
        defer {
            LogSinks.file = nil
            Database.defaultListenerQueue = .main
            try? FileManager.default.removeItem(atPath: directory)
        }
        prepareProcess(dataDirectory: directory)
        keepLogs(dataDirectory: directory)
        let database = try openDatabase(dataDirectory: directory)
        let menu = try database.createCollection(name: "menu")

        let heard = DispatchSemaphore(value: 0)
        let token = keepListening(to: menu) { ids in if ids == ["soup"] { heard.signal() } }
        try menu.save(document: MutableDocument(id: "soup"))
        #expect(heard.wait(timeout: .now() + 10) == .success)
        token.remove()

        let identity = try serverIdentity()
        #expect(try serverIdentity().expiration == identity.expiration)
        let file = try FileManager.default.contentsOfDirectory(atPath: directory + "/identities")
        #expect(file.count == 1)
        let logs = try FileManager.default.contentsOfDirectory(atPath: directory + "/logs")
        #expect(logs.contains { $0.hasSuffix(".cbllog") })
        try database.close()
    }
}
