import DivanBLIP
import DivanReplicator
import DivanRevisions
import DivanStore
import Synchronization
import Testing

/// A blob that one side temporarily cannot read costs a connection, but no document.
@Suite struct UnreadableBlobTests {
    /// Makes reading blobs fail after a number of pieces, while it has an error number.
    private final class Fault: Sendable {
        let number = Mutex<Int32?>(nil)
        let soundCount = Atomic<Int>(0)

        private final class Source: BlobSource {
            let base: any BlobSource
            let fault: Fault

            init(_ base: any BlobSource, _ fault: Fault) {
                self.base = base
                self.fault = fault
            }

            var byteCount: Int { base.byteCount }
            func seek(to offset: Int) { base.seek(to: offset) }

            func read(upTo limit: Int) throws(StoreError) -> [UInt8] {
                let isSound = fault.soundCount.load(ordering: .relaxed) > 0
                if let number = fault.number.withLock({ $0 }), !isSound {
                    throw StoreError(.io(number))
                }
                if isSound { fault.soundCount.subtract(1, ordering: .relaxed) }
                return try base.read(upTo: limit)
            }
        }

        func site() throws -> Site {
            let storage = ObservedBlobStorage { Source($0, self) }
            return try Site(Store(engine: MemoryEngine(), blobs: BlobStore(storage)))
        }
    }

    private let content = [UInt8](repeating: 7, count: 300_000)

    /// The first piece decides whether the answer has begun; 24 is EMFILE.
    @Test(arguments: [0, 1], [false, true])
    func `a blob that failed for lack of file descriptors is requested again`(
        soundCount: Int,
        isPush: Bool
    ) throws {
        let fault = Fault()
        let there = try fault.site()
        let here = try Site()
        try there.saveBlob("photo", content)
        try there.save("note", "{}")
        let options = Conversation.Options(pushes: isPush, pulls: !isPush)
        fault.number.withLock { $0 = 24 }
        fault.soundCount.store(soundCount, ordering: .relaxed)
        let (active, passive) = isPush ? (there, here) : (here, there)
        let failed = Conversation.oneShot(options, active, passive)
        #expect(failed.error?.isTransient == true, "another connection follows")
        #expect(try here.body("photo") == nil)
        fault.number.withLock { $0 = nil }
        _ = Conversation.oneShot(options, active, passive)
        #expect(try here.body("photo") != nil)
        #expect(try here.body("note") != nil)
    }

    /// A permanent defect must not prevent everything else from being transferred; 5 is EIO.
    @Test func `a blob on a bad disk sector fails only its own document`() throws {
        let fault = Fault()
        let there = try fault.site()
        let here = try Site()
        try there.saveBlob("photo", content)
        try there.save("note", "{}")
        fault.number.withLock { $0 = 5 }
        let run = Conversation.oneShot(.init(pushes: false), here, there)
        #expect(run.failures.count == 1)
        #expect(try here.body("photo") == nil)
        #expect(try here.body("note") != nil)
    }

    @Test(arguments: [408, 429, 502, 503, 504])
    func `a blob that the peer temporarily cannot send is requested on another connection`(
        code: Int
    ) throws {
        let site = try Site()
        var server = try Counterpart.server(site, .init(pushes: false, isContinuous: true))
        try server.answer("subChanges")
        server.ask("changes", ["collection": "0"], #"[[1,"a","1-aa"],[2,"b","1-bb"]]"#)
        let digest = BlobDigest(hashing: content.span)
        server.ask(
            "rev",
            ["collection": "0", "id": "a", "rev": "1-aa", "sequence": "1"],
            Site.blobBody(digest, content.count, "image/png")
        )
        try server.refuse("getAttachment", "HTTP", code)
        #expect(server.closeCode == nil, "what else is on its way comes first")
        server.ask("rev", ["collection": "0", "id": "b", "rev": "1-bb", "sequence": "2"], "{}")
        server.ask("changes", ["collection": "0"], "[]")
        #expect(server.closeCode == 4001)
        #expect(server.error?.isTransient == true)
        #expect(try site.body("b") != nil)
    }
}
