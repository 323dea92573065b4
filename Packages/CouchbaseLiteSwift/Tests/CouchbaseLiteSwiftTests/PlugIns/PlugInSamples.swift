import DivanCompression
import DivanDatabase
import DivanDiscovery
import DivanTestKit
import DivanZlib
import Foundation
import Synchronization

/// Deflate under another name, which counts the bytes that pass through it.
final class TallyCodec: CompressionCodec {
    let name: String
    private let inner = DeflateCodec()
    private let counts = Mutex((compressed: 0, decompressed: 0))

    init(_ name: String = "tally") { self.name = name }

    /// Plain bytes that were compressed and decompressed.
    var byteCounts: (compressed: Int, decompressed: Int) { counts.withLock { $0 } }

    func maximumByteCount(for inputByteCount: Int) -> Int {
        inner.maximumByteCount(for: inputByteCount)
    }

    func makeCompressor() -> any StreamCompressor {
        Compressor(inner: inner.makeCompressor(), tally: self)
    }

    func makeDecompressor() -> any StreamDecompressor {
        Decompressor(inner: inner.makeDecompressor(), tally: self)
    }

    private final class Compressor: StreamCompressor {
        let inner: any StreamCompressor
        let tally: TallyCodec

        init(inner: any StreamCompressor, tally: TallyCodec) {
            (self.inner, self.tally) = (inner, tally)
        }

        func compress(
            _ input: Span<UInt8>,
            appendingTo output: inout [UInt8]
        ) throws(CompressionError) {
            let count = input.count
            tally.counts.withLock { $0.compressed += count }
            try inner.compress(input, appendingTo: &output)
        }

        func reset() { inner.reset() }
    }

    private final class Decompressor: StreamDecompressor {
        let inner: any StreamDecompressor
        let tally: TallyCodec

        init(inner: any StreamDecompressor, tally: TallyCodec) {
            (self.inner, self.tally) = (inner, tally)
        }

        func decompress(
            _ input: Span<UInt8>,
            limit: Int,
            appendingTo output: inout [UInt8]
        ) throws(CompressionError) {
            let before = output.count
            try inner.decompress(input, limit: limit, appendingTo: &output)
            let count = output.count - before
            tally.counts.withLock { $0.decompressed += count }
        }

        func reset() { inner.reset() }
    }
}

/// Stores the length and the inverted byte of each run of equal bytes, and counts bodies.
final class InvertingCodec: DictionaryCodec {
    let name: String
    let dictionaryByteCount = 1
    private let counts = Mutex((packed: 0, unpacked: 0))

    init(_ name: String = "inverting") { self.name = name }

    /// Bodies that were compressed and decompressed.
    var bodyCounts: (packed: Int, unpacked: Int) { counts.withLock { $0 } }

    func maximumPlainByteCount(for packedByteCount: Int) -> Int { 255 * packedByteCount }

    func makeCoder(dictionary: [UInt8]) -> any DictionaryCoder { Coder(self) }

    private final class Coder: DictionaryCoder {
        let codec: InvertingCodec

        init(_ codec: InvertingCodec) { self.codec = codec }

        func pack(_ plain: Span<UInt8>, appendingTo output: inout [UInt8]) {
            codec.counts.withLock { $0.packed += 1 }
            var start = 0
            while start < plain.count {
                var end = start + 1
                while end < plain.count, end - start < 255, plain[end] == plain[start] { end += 1 }
                output += [UInt8(end - start), ~plain[start]]
                start = end
            }
        }

        func unpack(
            _ packed: Span<UInt8>,
            into output: consuming MutableSpan<UInt8>
        ) throws(CompressionError) {
            codec.counts.withLock { $0.unpacked += 1 }
            var filled = 0
            for place in stride(from: 0, to: packed.count - 1, by: 2) {
                for _ in 0..<packed[place] {
                    guard filled < output.count else {
                        throw .corrupt(codec: codec.name, detail: "too long")
                    }
                    output[filled] = ~packed[place + 1]
                    filled += 1
                }
            }
            guard filled == output.count else {
                throw .corrupt(codec: codec.name, detail: "too short")
            }
        }
    }
}

/// Opens engines in memory, which keep their content for the next opening of the same directory.
final class SampleEngines: StorageEngineProvider {
    struct Refusal: Error, CustomStringConvertible {
        let description = "the cable is not plugged in"
    }

    let name: String
    private let failure: (any Error)?
    private let engines = Mutex<[String: SampleEngine]>([:])
    let places = Heard<StorageEngineLocation>()

    init(_ name: String = "sample", failure: (any Error)? = nil) {
        (self.name, self.failure) = (name, failure)
    }

    /// The engine that was opened last.
    var latest: SampleEngine? {
        places.elements.last.flatMap { place in
            engines.withLock { $0[place.directory ?? ""] }
        }
    }

    func openEngine(in place: StorageEngineLocation) throws -> any StorageEngine {
        if let failure { throw failure }
        places.append(place)
        return engines.withLock { engines in
            let engine = SampleEngine(engines[place.directory ?? ""], isReadOnly: place.isReadOnly)
            engines[place.directory ?? ""] = engine
            return engine
        }
    }
}

/// An engine in memory whose content outlives it.
final class SampleEngine: StorageEngine {
    let inner: MemoryEngine
    let isReadOnly: Bool
    private let isClosed = Atomic(false)
    private let writes = Atomic(0)

    init(_ former: SampleEngine?, isReadOnly: Bool) {
        inner = former?.inner ?? MemoryEngine()
        self.isReadOnly = isReadOnly
    }

    var writeCount: Int { writes.load(ordering: .relaxed) }
    var wasClosed: Bool { isClosed.load(ordering: .relaxed) }

    func read<T>(_ body: (any StorageSnapshot) throws -> T) throws -> T {
        guard !wasClosed else { throw StoreError(.notOpen) }
        return try inner.read(body)
    }

    func write<T>(_ body: (any StorageTransaction) throws -> T) throws -> T {
        guard !wasClosed else { throw StoreError(.notOpen) }
        guard !isReadOnly else { throw StoreError(.readOnly) }
        writes.add(1, ordering: .relaxed)
        return try inner.write(body)
    }

    func checkIntegrity() throws(StoreError) {}
    func makeDurable() throws(StoreError) {}
    func syncFully() throws(StoreError) {}
    func close() { isClosed.store(true, ordering: .relaxed) }
}

/// Peers of one process find each other; browsing begins with those that are advertised already.
final class InProcessDiscovery: PeerDiscovery {
    private struct State {
        var peers: [DiscoveredPeer] = []
        var browsers: [Int: @Sendable (BrowseEvent) -> Void] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())
    private let failure: DiscoveryError?

    /// An element for each search that has begun.
    let searches: AsyncStream<Void>
    private let searching: AsyncStream<Void>.Continuation

    init(failure: DiscoveryError? = nil) {
        self.failure = failure
        (searches, searching) = AsyncStream.makeStream()
    }

    var peers: [DiscoveredPeer] { state.withLock { $0.peers } }
    var browserCount: Int { state.withLock { $0.browsers.count } }

    func advertise(
        _ advertisement: PeerAdvertisement,
        onEvent: @escaping @Sendable (AdvertisementEvent) -> Void
    ) throws(DiscoveryError) -> any AdvertisementActivity {
        if let failure { throw failure }
        let peer = DiscoveredPeer(
            name: advertisement.name,
            host: "127.0.0.1",
            port: advertisement.port,
            attributes: advertisement.attributes
        )
        let browsers = state.withLock { state in
            state.peers.append(peer)
            return Array(state.browsers.values)
        }
        onEvent(.registered(name: peer.name))
        for browser in browsers { browser(.found(peer)) }
        return Ending { self.state.withLock { $0.peers.removeAll { $0 == peer } } }
    }

    func browse(
        for service: ServiceType,
        onEvent: @escaping @Sendable (BrowseEvent) -> Void
    ) throws(DiscoveryError) -> any DiscoveryActivity {
        if let failure { throw failure }
        let (number, peers) = state.withLock { state in
            state.lastNumber += 1
            state.browsers[state.lastNumber] = onEvent
            return (state.lastNumber, state.peers)
        }
        for peer in peers { onEvent(.found(peer)) }
        searching.yield()
        return Ending { self.state.withLock { $0.browsers[number] = nil } }
    }

    private final class Ending: AdvertisementActivity {
        private let end: @Sendable () -> Void

        init(_ end: @escaping @Sendable () -> Void) { self.end = end }

        deinit { end() }

        func stop() { end() }

        /// No test changes an advertisement.
        func update(_ record: TextRecord) {}
    }
}
