import DivanCrypto
import DivanTestKit
import Synchronization
import Testing

@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// What is written and digested on other threads than the caller's.
@Suite struct IncomingBlobWriterTests {
    /// Keeps what it receives, up to a number of bytes.
    private final class Sink: BlobSink {
        private let content: Contents
        private let room: Int

        init(_ content: Contents, room: Int = .max) {
            self.content = content
            self.room = room
        }

        func append(_ piece: Span<UInt8>) throws(StoreError) {
            let bytes = piece.withUnsafeBufferPointer { Array($0) }
            let fits = content.bytes.withLock { content in
                guard content.count + bytes.count <= room else { return false }
                content += bytes
                return true
            }
            guard fits else { throw StoreError(.diskFull) }
        }

        func store(as digest: BlobDigest) throws(StoreError) {}
        func discard() { content.endings.withLock { $0.append("discarded") } }
        func suspend() { content.endings.withLock { $0.append("suspended") } }
    }

    /// The part left by an earlier attempt, of which less may be readable.
    private final class Part: BlobSource {
        let byteCount: Int
        private var rest: ArraySlice<UInt8>
        private let failure: StoreError?

        init(_ content: [UInt8], readable: Int = .max, _ failure: StoreError? = nil) {
            byteCount = content.count
            rest = content.prefix(readable)
            self.failure = failure
        }

        func read(upTo limit: Int) throws(StoreError) -> [UInt8] {
            if rest.isEmpty, let failure { throw failure }
            defer { rest = rest.dropFirst(limit) }
            return Array(rest.prefix(limit))
        }

        func seek(to offset: Int) {}
    }

    private final class Contents: Sendable {
        let bytes = Mutex<[UInt8]>([])
        let endings = Mutex<[String]>([])
    }

    @Test(arguments: UInt64(1)...TestLength.of(2, long: 6))
    func `content of any length is written completely and gets the right digest`(
        seed: UInt64
    ) throws {
        var generator = SeededGenerator(seed: seed)
        let byteCount = Int.random(in: 0...6_000_000, using: &generator)
        let content = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 7) }
        let written = Contents()
        let intake = IncomingBlobWriter(Sink(written))
        for piece in content.pieces(longest: 900_000, using: &generator) {
            try intake.append(Array(piece))
        }
        #expect(try intake.finalize() == SHA1.digest(of: content.span), "seed \(seed)")
        #expect(written.bytes.withLock { $0 == content }, "seed \(seed)")
    }

    @Test func `more blobs can be written at the same time than there are threads`() throws {
        let piece = [UInt8](repeating: 7, count: 400_000)
        let expected = SHA1.digest(of: Array([[UInt8]](repeating: piece, count: 8).joined()).span)
        for _ in 0..<2 {
            let intakes = (0..<2 * StoreLimits.intakeThreadsCount).map { _ in
                IncomingBlobWriter(Sink(Contents()))
            }
            for _ in 0..<8 {
                for intake in intakes { try intake.append(piece) }
            }
            for intake in intakes { #expect(try intake.finalize() == expected) }
        }
    }

    @Test func `an abandoned blob does not keep its thread`() throws {
        for _ in 0..<3 * StoreLimits.intakeThreadsCount {
            let intake = IncomingBlobWriter(Sink(Contents()))
            try intake.append([UInt8](repeating: 1, count: 3_000_000))
            try intake.append([UInt8](repeating: 2, count: 100))
        }
        let intake = IncomingBlobWriter(Sink(Contents()))
        for _ in 0..<30 { try intake.append([UInt8](repeating: 3, count: 100_000)) }
        let content = [UInt8](repeating: 3, count: 3_000_000)
        #expect(try intake.finalize() == SHA1.digest(of: content.span))
    }

    @Test(arguments: [0, 900_000, 1_100_000, 1_700_000, 2_999_999])
    func `a full disk is reported by the next append or at the end`(room: Int) {
        let intake = IncomingBlobWriter(Sink(Contents(), room: room))
        #expect(throws: StoreError.self) {
            for _ in 0..<30 { try intake.append([UInt8](repeating: 3, count: 100_000)) }
            _ = try intake.finalize()
        }
        #expect(throws: StoreError.self) { _ = try intake.finalize() }
    }

    @Test func `suspending writes everything received so far`() throws {
        let written = Contents()
        let intake = IncomingBlobWriter(Sink(written))
        for _ in 0..<17 { try intake.append([UInt8](repeating: 5, count: 100_000)) }
        intake.suspend()
        #expect(written.bytes.withLock { $0.count } == 1_700_000)
        #expect(written.endings.withLock { $0 } == ["suspended"])
    }

    @Test(arguments: [0, 1_000, 2_500_000])
    func `a partial blob of any length is continued`(partByteCount: Int) throws {
        let content = (0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 7) }
        let written = Contents()
        let part = Part(Array(content[..<partByteCount]))
        let intake = try IncomingBlobWriter(resuming: .init(sink: Sink(written), source: part))
        for start in stride(from: partByteCount, to: content.count, by: 100_000) {
            try intake.append(Array(content[start..<min(start + 100_000, content.count)]))
        }
        #expect(try intake.finalize() == SHA1.digest(of: content.span))
        #expect(written.bytes.withLock { $0 == Array(content[partByteCount...]) })
    }

    @Test(arguments: [1_000, 2_500_000], [StoreError(.io(5)), nil])
    func `a partial blob that cannot be read is reported and discarded`(
        byteCount: Int,
        failure: StoreError?
    ) throws {
        let written = Contents()
        let content = [UInt8](repeating: 1, count: byteCount)
        #expect(throws: StoreError.self) {
            let part = Part(content, readable: byteCount / 2, failure)
            let intake = try IncomingBlobWriter(resuming: .init(sink: Sink(written), source: part))
            for _ in 0..<30 { try intake.append([UInt8](repeating: 3, count: 100_000)) }
            _ = try intake.finalize()
        }
        #expect(written.endings.withLock { $0 } == ["discarded"])
        #expect(written.bytes.withLock { $0.isEmpty })
    }
}
