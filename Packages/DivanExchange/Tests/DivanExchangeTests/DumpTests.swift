import CouchbaseLiteSwift
import DivanExchange
import DivanTestKit
import Foundation
import Testing

@Suite struct DumpTests {
    private let shop: SampleDatabase

    init() throws {
        shop = try SampleDatabase()
        try shop.save("tea", ["price": 3])
        try shop.save("cup", blob: "a cup")
    }

    @Test func `a restored database has the same documents, blobs and revision IDs`() throws {
        let restoration = try shop.restore(try shop.dump())
        #expect(restoration.documentCount == 2)
        #expect(restoration.blobCount == 1)
        #expect(try shop.copiedLines() == SampleDatabase.lines(of: shop.database))
        let copy = try Database(name: "copy", config: shop.config)
        defer { try? copy.close() }
        let revision = try shop.items.document(id: "tea")?.revisionID
        #expect(try copy.defaultCollection().document(id: "tea")?.revisionID == revision)
    }

    @Test func `equal states produce equal dumps`() throws {
        #expect(try shop.dump() == shop.dump())
    }

    @Test func `an incremental dump contains only changes, and restores in order`() throws {
        let full = try shop.dump()
        let path = shop.folder.path + "/full.dump"
        try Data(full).write(to: URL(fileURLWithPath: path))
        try shop.save("pot", ["price": 9])
        try shop.items.delete(document: try #require(try shop.items.document(id: "tea")))
        let changes = try shop.dump(since: DumpEnd.last(ofFile: path))
        #expect(!String(decoding: changes, as: UTF8.self).contains("\"doc\":\"cup\""))
        try shop.restore(full, changes)
        #expect(try shop.copiedLines() == SampleDatabase.lines(of: shop.database))
    }

    @Test func `a dump of another database cannot be continued`() throws {
        let other = try SampleDatabase()
        let path = shop.folder.path + "/other.dump"
        try Data(try other.dump()).write(to: URL(fileURLWithPath: path))
        let end = try DumpEnd.last(ofFile: path)
        let error = #expect(throws: ExchangeError.self) { try shop.dump(since: end) }
        #expect(error?.code == .notContinuable)
    }

    @Test func `a truncated dump creates no database, and the error names the line`() throws {
        let dump = try shop.dump()
        let lines = dump.split(separator: UInt8(ascii: "\n"))
        let cut = Array(lines.dropLast().joined(separator: [UInt8(ascii: "\n")]))
        let error = #expect(throws: ExchangeError.self) { try shop.restore(cut) }
        #expect(error?.code == .invalid)
        #expect(error?.place == "dump 0")
        #expect(error?.problem.contains("after line \(lines.count - 1)") == true)
        #expect(!shop.hasTraceOfCopy)
    }

    @Test func `any changed byte before the end marker of a dump is detected`() throws {
        let dump = try shop.dump()
        let end = try #require(dump.dropLast().lastIndex(of: UInt8(ascii: "\n")))
        for place in stride(from: 0, through: end, by: 19) {
            var changed = dump
            changed[place] ^= 1
            #expect(throws: (any Error).self, "byte \(place)") { try shop.restore(changed) }
            #expect(!shop.hasTraceOfCopy)
        }
    }

    @Test func `migrations that are not a list of names are refused`() throws {
        let dump = String(decoding: try shop.dump(), as: UTF8.self)
        #expect(!dump.contains("migrations"))
        for value in ["1", "[1]", #"[""]"#, #"["a\u0000b"]"#] {
            let changed = dump.replacingOccurrences(
                of: #""dump":1,"#,
                with: #""dump":1,"migrations":\#(value),"#
            )
            #expect(changed != dump)
            let error = #expect(throws: ExchangeError.self) {
                try shop.restore(Array(changed.utf8))
            }
            #expect(error?.code == .invalid)
            #expect(error?.problem.contains("migrations") == true, "\(value)")
        }
        #expect(!shop.hasTraceOfCopy)
    }

    @Test func `a dump is verified without restoring it`() throws {
        let full = try shop.dump()
        let path = shop.folder.path + "/full.dump"
        try Data(full).write(to: URL(fileURLWithPath: path))
        let end = try DumpEnd.last(ofFile: path)
        try shop.save("pot", ["price": 9])
        let changes = try shop.dump(since: end)
        func verify(_ bytes: [UInt8], after former: DumpEnd? = nil) throws {
            try DumpCheck.verify(ByteSource(name: "dump", bytes: bytes), after: former)
        }
        try verify(full)
        try verify(changes, after: end)
        let marker = try #require(changes.dropLast().lastIndex(of: UInt8(ascii: "\n")))
        for place in stride(from: 0, through: marker, by: 7) {
            var changed = changes
            changed[place] ^= 1
            #expect(throws: ExchangeError.self, "byte \(place)") {
                try verify(changed, after: end)
            }
        }
        for former in [nil, end] {
            let empty = #expect(throws: ExchangeError.self) { try verify([], after: former) }
            #expect(empty?.code == .noDump)
            let cut = Array(changes.dropLast(20))
            #expect(throws: ExchangeError.self) { try verify(cut, after: former) }
        }
        #expect(throws: ExchangeError.self) { try verify(changes) }
    }

    @Test func `an input without a dump is refused`() throws {
        let error = #expect(throws: ExchangeError.self) { try shop.restore([]) }
        #expect(error?.code == .noDump)
    }

    @Test func `an error of the progress handler stops a dump and a restoration`() throws {
        #expect(throws: CancellationError.self) {
            try shop.database.dump(to: { _ in }, progress: { _ in throw CancellationError() })
        }
        let source = ByteSource(name: "dump", bytes: try shop.dump())
        #expect(throws: CancellationError.self) {
            try Database.restore(from: [source], toDatabase: "copy", withConfig: shop.config) {
                if $0.documentCount == 0, $0.byteCount > 100 { throw CancellationError() }
            }
        }
        #expect(!shop.hasTraceOfCopy)
    }

    @Test func `an encrypted database is restored from the dump of a plain one`() throws {
        var config = shop.config
        config.encryptionKey = EncryptionKey.password("secret")
        let source = ByteSource(name: "dump", bytes: try shop.dump())
        try Database.restore(from: [source], toDatabase: "copy", withConfig: config)
        #expect(throws: (any Error).self) { try shop.copiedLines() }
        let copy = try Database(name: "copy", config: config)
        defer { try? copy.close() }
        #expect(try SampleDatabase.lines(of: copy) == SampleDatabase.lines(of: shop.database))
    }
}
