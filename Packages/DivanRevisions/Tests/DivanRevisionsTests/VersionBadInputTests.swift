import DivanRevisions
import DivanTestKit
import Testing

/// Invalid input from a peer, a file or a clock.
@Suite struct VersionBadInputTests {
    private static let source = "KjVAS1ZhbHeCjZijrrnEzw"
    private static let other = "T1plcHuGkZynsr3I097p9A"
    private let wall: UInt64 = 0x18e9_af69_4828_1234

    @Test func `an empty text is an empty history`() throws {
        #expect(try MixedVector("").current == nil)
    }

    @Test(
        arguments: [
            "@", ";", ",", "1@*", "1@\(source),", "1@\(source), ", "1@\(source);;",
            "1@\(source) ", " 1@\(source)", "1@\(source); 2@\(other);", "1@\(source)\0",
            "2-aa, 1@\(source)", "1@\(source), 2-aa", "1@\(source), 2@\(other), 2-aa;",
            "2-aa; 1-aa", "g@\(source)", "1@\(source); 2-aa, 3@\(other)",
            "1@\(source);,", "1@\(source);, ", "1@\(source);,,2-aa", "1@\(source);,3@\(other)",
            "1@\(source);2-aa,,1-aa", ",2-aa", ";,2-aa", "2-aa;,1-aa",
        ]
    )
    func `malformed histories are rejected`(text: String) {
        #expect(throws: VersionError.self, "\(text)") { try MixedVector(text) }
    }

    /// Sync Gateway writes so few characters only for that name, and compares texts.
    @Test func `Sync Gateway's Unknown+Source keeps its name`() throws {
        let text = "18e9af5838430000@Unknown+Source"
        #expect(Version(text)?.source == .unknown)
        #expect(Version(text)?.description == text)
        #expect(RevisionID(ofAnyScheme: text)?.description == text)
        let vector = try VersionVector("9@\(Self.source); \(text), 5@\(Self.other)")
        #expect(try VersionVector(vector.description) == vector)
        #expect(try VersionVector(encoded: vector.encoded.span) == vector)
        #expect(SourceID("Unknown+SourceAAAAAAAA") == .unknown)
        for other in ["Unknown+Sourcf", "unknown+Source", "Unknown+Sourc", "Unknown+Source="] {
            #expect(SourceID(other) == nil)
        }
    }

    @Test func `a source can occur twice only if it merged its own version`() throws {
        _ = try VersionVector("9@\(Self.source), 3@\(Self.source), 5@\(Self.other);")
        for text in [
            "9@\(Self.source), 9@\(Self.source);", "9@\(Self.source); 3@\(Self.source)",
            "9@\(Self.source), 3@\(Self.source), 2@\(Self.source);",
            "9@\(Self.source), 3@\(Self.other), 2@\(Self.other);",
        ] {
            #expect(throws: VersionError.self, "\(text)") { try VersionVector(text) }
        }
    }

    @Test func `a vector of 100,000 entries is rejected`() throws {
        var generator = SeededGenerator(seed: 7)
        let versions = (0..<100_000).compactMap { _ -> Version? in
            let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
            return SourceID(bytes: bytes).flatMap { Version(time: 1 << 50, source: $0) }
        }
        let limit = VersionError.tooManyEntries(limit: VersionLimits.receivedCount)
        #expect(throws: limit) { try VersionVector(versions, mergeCount: 0) }
        let text = versions.map(\.description).joined(separator: ", ")
        #expect(throws: limit) { try VersionVector(text) }
        let mixed = (1...100_000).reversed().map { "\($0)-aa" }.joined(separator: ", ")
        #expect(throws: limit) { try MixedVector(mixed) }
        let kept = try VersionVector(Array(versions.prefix(9_000)), mergeCount: 2)
        #expect(kept.pruned().versions.count == 3 + VersionLimits.previousCount)
        #expect(kept.saved(by: .revisionTree, at: 1 << 51).versions.count == 1_001)
    }

    /// A peer names a tree revision of any generation, and a conflict with it is resolved here.
    @Test(arguments: [5_800_000, 5_900_000, 8_388_607] as [UInt64])
    func `a tree revision of a high generation can be stored in a vector`(
        generation: UInt64
    ) throws {
        let legacy = try #require(RevisionID("\(generation)-aaaaaaaaaa"))
        let converted = try #require(Version(converting: legacy))
        let mine = try #require(Version("18e9af6948281234@\(Self.source)"))
        for versions in [[mine, converted], [converted, mine]] {
            let vector = try VersionVector(versions, mergeCount: 0)
            #expect(try VersionVector(encoded: vector.encoded.span) == vector)
        }
    }

    /// Merged versions are not pruned, so a peer may send ten thousand of them.
    @Test func `vectors of 10,000 merged versions are compared without quadratic work`() throws {
        var generator = SeededGenerator(seed: 8)
        let versions = (0..<VersionLimits.receivedCount).compactMap { number -> Version? in
            let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let time = 1 << 50 + UInt64(number)
            return SourceID(bytes: bytes).flatMap { Version(time: time, source: $0) }
        }
        let whole = try VersionVector(versions, mergeCount: versions.count - 1)
        let turned = try VersionVector(versions.reversed(), mergeCount: versions.count - 1)
        let time = processorTime {
            for _ in 0..<3 {
                #expect(whole.knowing(turned) == whole)
                #expect(whole.winning(over: turned).current == whole.current)
            }
        }
        #expect(time < .seconds(5))
    }

    @Test func `the clock rejects invalid and future times and never goes back`() throws {
        var clock = HybridClock()
        let start = clock.now(wall: wall)
        let first = try #require(start)
        for time in [0, 1, 1 << 40 - 1, 1 << 63, .max] as [UInt64] {
            #expect(throws: VersionError.invalidTime(time)) { try clock.see(time, wall: wall) }
        }
        let ahead = wall + HybridClock.tolerance + 1 << 17
        #expect(throws: VersionError.timeInFuture(ahead, wall: wall)) {
            try clock.see(ahead, wall: wall)
        }
        #expect(clock.last == first)
        // Set back by a year, and to before all times.
        let later = [clock.now(wall: wall - 31_536_000_000_000_000), clock.now(wall: 0)]
        #expect(later == [first + 1, first + 2])
        var last = HybridClock(last: .max)
        let end = [last.now(wall: .max), last.now(wall: .max)]
        #expect(end == [HybridClock.latestWallTime + 1, HybridClock.latestWallTime + 2])
    }

    @Test func `a revision tree refuses versions`() throws {
        let version = try #require(Version("18e9af6948280000@\(Self.source)"))
        var tree = RevisionTree()
        try tree.receive("1-aa")
        for history in [[], [try id("1-aa")]] {
            #expect(throws: RevisionError.foreignScheme(RevisionID(version))) {
                try tree.insertRemote(
                    RevisionID(version),
                    history: history,
                    body: [],
                    remote: nil,
                    refusesConflicts: false
                )
            }
        }
        #expect(throws: RevisionError.foreignScheme(RevisionID(version))) {
            try tree.insertRemote(
                try id("2-bb"),
                history: [RevisionID(version), try id("1-aa")],
                body: [],
                remote: nil,
                refusesConflicts: false
            )
        }
        #expect(tree.revisions.count == 1)
    }

    @Test func `a vector with one version in the future leaves the clock unchanged`() throws {
        var clock = HybridClock()
        let text = "18e9af6948280000@\(Self.source); 28e9af6948280000@\(Self.other)"
        #expect(throws: VersionError.self) { try clock.see(VersionVector(text), wall: wall) }
        #expect(clock == HybridClock())
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `arbitrary bytes are rejected or give a vector that round-trips`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let text = "18e9af54186a0000@\(Self.source), 5@\(Self.other); 9@Revision+Tree+Encoding"
        var bytes = try VersionVector(text).encoded
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            bytes[place] = .random(in: 0...255, using: &generator)
        }
        bytes.removeLast(Int.random(in: 0...2, using: &generator))
        guard let read = try? VersionVector(encoded: bytes.span), !read.isEmpty else { return }
        #expect(try VersionVector(encoded: read.encoded.span) == read, "seed \(seed)")
    }
}
