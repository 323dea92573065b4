import CouchbaseLiteSwift
import Foundation
import Testing

/// The functions of the guide to upgrading do what it says.
@Suite struct UpgradingTests {
    @Test func `a new app version keeps a copy of the old database`() throws {
        let directory = NSTemporaryDirectory() + "divan-upgrading-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let first = try openCarefully("shop", for: "2", in: directory)
        try first.defaultCollection().save(document: MutableDocument(id: "soup"))
        try first.close()
        #expect(!Database.exists(withName: "shop-before-2", inDirectory: directory))
        let second = try openCarefully("shop", for: "3", in: directory)
        try second.defaultCollection().save(document: MutableDocument(id: "tea"))
        try second.close()
        let before = try openCarefully("shop-before-3", for: "3", in: directory)
        #expect(try before.defaultCollection().documentIDs() == ["soup"])
        try before.close()
    }

    @Test func `a database in use is reported as such`() {
        let busy = NSError(domain: CBLError.domain, code: CBLError.busy)
        #expect(advice(forOpening: busy).contains("Another program"))
    }
}
