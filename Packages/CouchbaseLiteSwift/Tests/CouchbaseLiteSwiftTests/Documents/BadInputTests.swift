import CouchbaseLiteSwift
import DivanPlatform
import DivanTestKit
import Foundation
import Synchronization
import Testing

/// Errors by the application, the disk or the clock.
@Suite(.timeLimit(.minutes(5))) struct BadInputTests {
    let home: TemporaryDatabase
    let collection: CouchbaseLiteSwift.Collection

    init() throws {
        home = try TemporaryDatabase()
        collection = try home.collection
    }

    @Test(arguments: ["[", #"{"a":"#])
    func `JSON nested 100,000 levels deep is rejected without a stack overflow`(
        _ opening: String
    ) throws {
        let count = 100_000
        let closing = opening == "[" ? "]" : "}"
        let middle = opening == "[" ? "" : "1"
        let text =
            #"{"deep":"# + String(repeating: opening, count: count) + middle
            + String(repeating: closing, count: count) + "}"
        expect(CBLError.invalidJSON) { _ = try MutableDocument(id: "deep", json: text) }
        let document = MutableDocument(id: "deep")
        expect(CBLError.invalidJSON) { try document.setJSON(text) }
        #expect(document.count == 0)
    }

    @Test func `keys with control characters are stored unchanged`() throws {
        let keys = (UInt8(0)..<32).map { "key\(Character(UnicodeScalar($0)))" } + ["\u{7F}"]
        let document = MutableDocument(id: "controls")
        for key in keys { document.setString(key, forKey: key) }
        try collection.save(document: document)
        let read = try #require(try collection.document(id: "controls"))
        #expect(Set(read.keys) == Set(keys))
        for key in keys { #expect(read.string(forKey: key) == key) }
    }

    @Test(arguments: [
        "", "yesterday", "2026-13-01", "2026-02-30T00:00:00Z", "2026-11-20T25:00:00Z",
    ])
    func `a string that is not a date is read as nil`(_ text: String) throws {
        let document = MutableDocument(id: "date")
        document.setString(text, forKey: "date")
        try collection.save(document: document)
        #expect(try collection.document(id: "date")?.date(forKey: "date") == nil)
        #expect(try collection.document(id: "date")?.string(forKey: "date") == text)
    }

    // MARK: Blobs

    @Test func `a stream that fails midway stores neither the document nor the blob`() throws {
        let document = MutableDocument(id: "photo")
        document.setBlob(
            Blob(contentType: "image/jpeg", contentStream: FailingStream(byteCount: 300_000)),
            forKey: "image"
        )
        #expect(throws: (any Error).self) { try collection.save(document: document) }
        #expect(try collection.document(id: "photo") == nil)
        let folder = home.directory.file("db.cblite2/Attachments")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names.filter { $0.hasSuffix(".blob") } == [])
    }

    /// A blob whose file is missing has no content; its document is not changed.
    @Test func `a blob whose file is missing has no content`() throws {
        let document = MutableDocument(id: "photo")
        document.setBlob(Blob(contentType: "a/b", data: Data([1, 2, 3])), forKey: "image")
        try collection.save(document: document)
        let folder = home.directory.file("db.cblite2/Attachments")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            try FileManager.default.removeItem(atPath: folder + "/" + name)
        }
        let blob = try #require(try collection.document(id: "photo")?.blob(forKey: "image"))
        #expect(blob.content == nil && blob.contentStream == nil)
        #expect(blob.length == 3 && blob.digest != nil)
    }

    // MARK: Life

    @Test func `a change listener can read and save documents`() async throws {
        let calls = Mutex(0)
        let collection = collection
        let token = collection.addChangeListener { change in
            let isFirst = calls.withLock { calls in
                calls += 1
                return calls == 1
            }
            guard isFirst else { return }
            for id in change.documentIDs {
                let copy = MutableDocument(id: id + "-copy")
                copy.setInt(collection.count == 0 ? 0 : 1, forKey: "seen")
                try? collection.save(document: copy)
            }
        }
        let changes = collection.changes()
        try collection.save(document: MutableDocument(id: "one"))
        for await change in changes where change.documentIDs.contains("one-copy") { break }
        #expect(try collection.document(id: "one-copy")?.int(forKey: "seen") == 1)
        token.remove()
    }

    /// Another thread closes while a batch runs: the batch is stored completely or not at all.
    @Test func `a batch is stored completely or not at all if the database closes meanwhile`()
        async throws
    {
        let database = home.database
        let collection = collection
        let hasBegun = AsyncStream<Void>.makeStream()
        let batch = Task.detached {
            try database.inBatch {
                for number in 0..<20 {
                    try collection.save(document: MutableDocument(id: "doc-\(number)"))
                    if number == 3 { hasBegun.continuation.finish() }
                }
            }
        }
        for await _ in hasBegun.stream {}
        try database.close()
        let isCommitted = (try? await batch.value) != nil
        let reopened = try home.reopened()
        let count = try reopened.defaultCollection().count
        #expect(count == (isCommitted ? 20 : 0))
    }

    @Test func `every call throws after the database is deleted`() throws {
        let document = MutableDocument(id: "one")
        try collection.save(document: document)
        try home.database.delete()
        expect(CBLError.notOpen) { _ = try collection.document(id: "one") }
        expect(CBLError.notOpen) { try collection.save(document: document) }
        expect(CBLError.notOpen) { try home.database.inBatch {} }
        expect(CBLError.notOpen) { try home.database.performMaintenance(type: .compact) }
    }
}

/// Returns some bytes, then an error.
private final class FailingStream: InputStream {
    private var rest: Int
    private var hasFailed = false

    init(byteCount: Int) {
        rest = byteCount
        super.init(data: Data())
    }

    override func open() {}

    override func close() {}

    override var hasBytesAvailable: Bool { true }

    override var streamStatus: Stream.Status { hasFailed ? .error : .open }

    override var streamError: (any Error)? {
        hasFailed ? NSError(domain: NSPOSIXErrorDomain, code: Int(Errno.ioError.rawValue)) : nil
    }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength count: Int) -> Int {
        guard rest > 0 else {
            hasFailed = true
            return -1
        }
        let taken = min(count, rest)
        buffer.update(repeating: 7, count: taken)
        rest -= taken
        return taken
    }
}
