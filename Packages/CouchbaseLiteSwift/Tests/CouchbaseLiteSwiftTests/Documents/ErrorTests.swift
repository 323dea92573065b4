import DivanDatabase
import DivanPlatform
import DivanReplicator
import DivanRevisions
import Foundation
import Testing

@testable import CouchbaseLiteSwift

/// `api-map.md` §17: how lower errors are translated; internal, because some cannot be provoked.
@Suite struct ErrorTests {
    private struct Unknown: Error {}

    @Test(arguments: [
        (StoreError.Code.notOpen, CBLError.notOpen),
        (.noSuchCollection(.default), CBLError.notOpen),
        (.notFound(documentID: "x"), CBLError.notFound),
        (.conflict(documentID: "x", current: nil), CBLError.conflict),
        (.forbiddenKey(documentID: "x", key: "_id"), CBLError.corruptRevisionData),
        (.tooNew(version: 2, supported: 1), CBLError.databaseTooNew),
        (.corrupt("page 7"), CBLError.corruptData),
        (.notADatabase("text"), CBLError.unreadableDatabase),
        (.busy(.otherProcess), CBLError.busy),
        (.readOnly, CBLError.notWriteable),
    ])
    func `a store error has its documented code, message and cause`(
        _ code: StoreError.Code,
        _ expected: Int
    ) {
        let cause = StoreError(code, at: "/data/db.cblite2")
        let error = NSError(from: cause)
        #expect(error.domain == CBLError.domain)
        #expect(error.code == expected)
        #expect(error.localizedDescription == String(describing: cause))
        #expect(error.userInfo[NSUnderlyingErrorKey] as? StoreError == cause)
    }

    @Test(arguments: [
        (QueryStop.tookTooMuchMemory(byteLimit: 1 << 20), CBLError.memoryError),
        (.othersHoldMemory, CBLError.memoryError),
        (.leftWaiting, CBLError.unexpectedError),
    ])
    func `a stopped query has an error code and a message`(_ stop: QueryStop, _ code: Int) {
        let error = NSError(from: stop)
        #expect(error.domain == CBLError.domain && error.code == code)
        #expect(error.localizedDescription == "\(stop)")
    }

    /// A linker may leave out an object file that holds only a conformance, so no cast may look for one.
    @Test func `every error type that has a number is in the table`() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/CouchbaseLiteSwift").standardizedFileURL
        let files = try #require(FileManager.default.enumerator(atPath: sources.path))
        var (conforming, table): (Set<String>, String) = ([], "")
        for case let name as String in files where name.hasSuffix(".swift") {
            let text = try String(contentsOf: sources.appending(path: name), encoding: .utf8)
            if name.hasSuffix("/NumberedError.swift") { table = text }
            for match in text.matches(
                of: /(?:extension|struct|enum|class) (\w+): [\w, ]*\bNumberedError\b/
            ) {
                conforming.insert(String(match.1))
            }
            #expect(!text.contains("as? any NumberedError"))
        }
        let listed = Set(table.matches(of: /case let error as (\w+): error/).map { String($0.1) })
        #expect(listed == conforming && listed.count > 15)
    }

    @Test func `a replication error with a remedy shows only its own message`() {
        let error = NSError(from: SyncError(.liteCore, 10, "Do this", hasRemedy: true))
        #expect(error.localizedDescription == "Do this" && error.code == CBLError.unexpectedError)
        #expect(
            NSError(from: SyncError(.liteCore, 10, "It failed")).localizedDescription.count > 20
        )
    }

    @Test func `printing an error shows its message`() {
        let error = NSError(CBLError.notOpen, "Database travel is closed; open it again")
        let printed = "\(error)"
        #expect(printed.contains(#"Code=6 "Database travel is closed; open it again""#))
    }

    @Test func `system and SQLite errors keep their own domains`() {
        let full = NSError(from: StoreError(.diskFull))
        #expect(full.domain == NSPOSIXErrorDomain)
        #expect(full.code == Int(Errno.noSpace.rawValue))
        let sqlite = NSError(from: StoreError(.sqlite(21, "misuse")))
        #expect(sqlite.domain == "CouchbaseLite.SQLite")
        #expect(sqlite.code == 21)
    }

    @Test(arguments: [0, -1, 5_000, 65_535, .max, .min])
    func `a code outside its range is unexpectedError`(code: Int) {
        for domain in [SyncError.Domain.network, .webSocket] {
            #expect(NSError(from: SyncError(domain, code)).code == CBLError.unexpectedError)
        }
        #expect(ErrorNumber.network(code) == .divan(CBLError.unexpectedError))
        #expect(ErrorNumber.webSocket(code) == .divan(CBLError.unexpectedError))
    }

    @Test func `the first and last codes of each range are kept`() {
        #expect(NSError(from: SyncError(.network, 27)).code == CBLError.unknownInterface)
        #expect(NSError(from: SyncError(.webSocket, 100)).code == 10_100)
        #expect(NSError(from: SyncError(.webSocket, 4_999)).code == 14_999)
    }

    @Test func `an error without a number is unexpectedError`() {
        let error = NSError(from: Unknown())
        #expect(error.code == CBLError.unexpectedError)
        #expect(error.userInfo[NSUnderlyingErrorKey] is Unknown)
    }

    @Test func `an NSError is passed through unchanged`() {
        let error = NSError(from: NSError(domain: "app", code: 7, userInfo: ["k": "v"]))
        #expect(error.domain == "app")
        #expect(error.code == 7)
        #expect(error.userInfo["k"] as? String == "v")
    }

    @Test func `error codes have their documented values`() {
        #expect(CBLError.domain == "CouchbaseLite")
        #expect(CBLError.cantUpgradeDatabase == 30)
        #expect(CBLError.unknownInterface == 5_027)
        #expect(CBLError.httpBase + 404 == CBLError.httpNotFound)
        #expect(CBLError.webSocketBase + 6 == CBLError.webSocketAbnormalClose)
        #expect(CBLError.invalidJSON == 17_001)
    }
}
