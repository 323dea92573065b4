import DivanRevisions
import DivanTestKit
import Foundation
import Testing

/// Laws for all vectors that databases can arrive at; random writers make them here.
@Suite struct VersionVectorLawTests {
    /// Databases that each hold one document, write it, and take it from each other.
    private struct World {
        struct Site {
            let source: SourceID
            var clock = HybridClock()
            var vector = VersionVector()

            mutating func tick(_ wall: UInt64) throws -> UInt64 {
                let time = clock.now(wall: wall)
                return try #require(time)
            }
        }
        var sites: [Site]
        var wall: UInt64 = 1_800_000_000_000_000_000
        var made: [Version] = []

        init(count: Int, using generator: inout SeededGenerator) {
            sites = (0..<count).compactMap { _ in
                let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
                return SourceID(bytes: bytes).map { Site(source: $0) }
            }
        }

        mutating func step(using generator: inout SeededGenerator) throws {
            // The wall clock stands still, advances, and is set back.
            wall = wall &+ UInt64(Int64.random(in: -200_000...500_000, using: &generator) + 200_000)
            if Int.random(in: 0..<20, using: &generator) == 0 { wall -= 3_600_000_000_000 }
            let (here, there) = (
                sites.indices.randomElement(using: &generator) ?? 0,
                sites.indices.randomElement(using: &generator) ?? 0
            )
            if here == there || Bool.random(using: &generator) {
                let time = try sites[here].tick(wall)
                sites[here].vector = sites[here].vector.saved(by: sites[here].source, at: time)
                made.append(try #require(sites[here].vector.current))
            } else {
                try take(from: there, at: here, using: &generator)
            }
        }

        private mutating func take(
            from there: Int,
            at here: Int,
            using generator: inout SeededGenerator
        ) throws {
            let (ours, theirs) = (sites[here].vector, sites[there].vector)
            // Far ahead only because the wall clock was set back: the receiver waits.
            for version in theirs.versions { wall = max(wall, version.time) }
            try sites[here].clock.see(theirs, wall: wall)
            switch theirs.order(to: ours) {
            case .same, .older: break
            case .newer: sites[here].vector = theirs
            case .conflict where ours.isCrossed(with: theirs):
                let isAbove = try #require(theirs.current) > #require(ours.current)
                sites[here].vector = isAbove ? theirs : ours
                return
            case .conflict:
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: sites[here].vector = ours.winning(over: theirs)
                case 1: sites[here].vector = theirs.winning(over: ours)
                default:
                    guard ours.current?.source != theirs.current?.source else { return }
                    let time = try sites[here].tick(wall)
                    let merged = try ours.merged(with: theirs, by: sites[here].source, at: time)
                    #expect(merged.order(to: ours) == .newer && merged.order(to: theirs) == .newer)
                    sites[here].vector = merged
                    made.append(try #require(merged.current))
                }
            }
            let now = sites[here].vector
            #expect([.same, .newer].contains(now.order(to: ours)), "\(now) | \(ours)")
            #expect([.same, .newer].contains(now.order(to: theirs)), "\(now) | \(theirs)")
        }
    }

    @Test(arguments: 0..<TestLength.of(10, long: UInt64(60)))
    func `comparison is antisymmetric, encodings round-trip and versions are unique`(
        seed: UInt64
    ) throws {
        var generator = SeededGenerator(seed: seed)
        var world = World(count: Int.random(in: 2...12, using: &generator), using: &generator)
        for _ in 0..<120 {
            try world.step(using: &generator)
            let vectors = world.sites.map(\.vector)
            for first in vectors {
                #expect(first.order(to: first) == .same)
                for second in vectors {
                    #expect(first.order(to: second) == second.order(to: first).reversed)
                }
                guard !first.isEmpty else { continue }
                #expect(try VersionVector(first.description) == first, "seed \(seed)")
                #expect(try VersionVector(encoded: first.encoded.span) == first, "seed \(seed)")
                #expect(first.pruned() == first)
            }
        }
        #expect(Set(world.made).count == world.made.count, "seed \(seed)")
        for site in world.sites {
            let own = world.made.filter { $0.source == site.source }
            #expect(own == own.sorted(), "seed \(seed)")
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `merging does not depend on the order, and winning twice changes nothing`(
        seed: UInt64
    ) throws {
        var generator = SeededGenerator(seed: seed)
        var world = World(count: 5, using: &generator)
        for _ in 0..<200 {
            try world.step(using: &generator)
            let (first, second) = (world.sites[0].vector, world.sites[1].vector)
            guard first.order(to: second) == .conflict, !first.isCrossed(with: second) else {
                continue
            }
            let won = first.winning(over: second)
            #expect(won.winning(over: second) == won)
            #expect(won.order(to: first) == .same && won.order(to: second) == .newer)
            let source = world.sites[2].source
            let time = HybridClock.validTimes.upperBound
            let merged = try? first.merged(with: second, by: source, at: time)
            #expect(merged == (try? second.merged(with: first, by: source, at: time)))
            if let merged { #expect(merged.isRedundantMerge(of: merged)) }
        }
    }

    /// One to ten bytes for a difference, forwards and back.
    @Test func `versions with any time difference round-trip in the stored form`() throws {
        let source = { (number: UInt8) in
            try #require(SourceID(bytes: Array(repeating: number, count: 16)))
        }
        let latest = HybridClock.validTimes.upperBound
        for bit in 0..<62 as Range<UInt64> {
            for difference in [1 << bit, 1 << bit - 1, 1 << bit + 1] as [UInt64] {
                let times = [latest, latest - difference, latest]
                let versions = try times.enumerated().map { place, time in
                    try #require(Version(time: time, source: source(UInt8(place + 1))))
                }
                let vector = try VersionVector(versions, mergeCount: 0)
                #expect(try VersionVector(encoded: vector.encoded.span) == vector, "\(difference)")
                let bytes = vector.encoded
                for cutCount in 1...16 {
                    let cut = Array(bytes.dropLast(cutCount))
                    let read = try? VersionVector(encoded: cut.span)
                    #expect(read == nil, "\(difference) without \(cutCount)")
                }
            }
        }
    }

    @Test func `the text of a version is its time in hexadecimal and its source in Base64`() throws
    {
        var generator = SeededGenerator(seed: 64)
        for bit in 0..<64 {
            for time in [1 << bit, UInt64.max >> bit] {
                let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
                let source = try #require(SourceID(bytes: bytes))
                let version = try #require(Version(time: time, source: source))
                let name = Data(bytes).base64EncodedString().prefix(22)
                #expect(version.description == "\(String(time, radix: 16))@\(name)")
                var text = Array("; ".utf8)
                version.appendText(to: &text)
                #expect(text == Array("; \(version)".utf8))
                #expect(Version(version.description) == version)
            }
        }
        let mine = try #require(Version(time: 0x1a, source: .me))
        #expect(mine.description == "1a@*" && SourceID.me.description == "*")
    }

    @Test func `a revision ID keeps its version in text, bytes and order`() throws {
        var generator = SeededGenerator(seed: 14)
        var ids: [RevisionID] = [try id("1-aa"), try id("4294967295-ff")]
        for _ in 0..<200 {
            let bytes = (0..<16).map { _ in UInt8.random(in: 1...255, using: &generator) }
            let time = UInt64.random(in: HybridClock.validTimes, using: &generator)
            let version = try #require(
                SourceID(bytes: bytes).flatMap { Version(time: time, source: $0) }
            )
            ids.append(RevisionID(version))
            #expect(ids.last?.version == version && ids.last?.timestamp == time)
        }
        for id in ids {
            #expect(RevisionID(ofAnyScheme: id.description) == id)
            #expect(RevisionID(encoded: id.encoded.span) == id)
            #expect(id.isVersion == (RevisionID(id.description) == nil))
        }
        let versions = ids.compactMap(\.version)
        #expect(ids.sorted().compactMap(\.version) == versions.sorted())
        #expect(ids.sorted().prefix(2) == ids.prefix(2))
    }
}
