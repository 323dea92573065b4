import DivanReplicator
import DivanRevisions
import DivanStore
import DivanTestKit
import Synchronization
import Testing

/// Two databases with version vectors, of which one was written while its clock was ahead.
@Suite struct ClockRepairSyncTests {
    private static let right: UInt64 = 1_800_000_000_000_000_000
    private static let year: UInt64 = 365 * 86_400_000_000_000

    /// A wall clock in nanoseconds since 1970.
    private final class Clock: Sendable {
        let now = Mutex(right)

        func set(_ time: UInt64) { now.withLock { $0 = time } }
    }

    private func site(_ clock: Clock) throws -> Site {
        try Site(.inMemory(scheme: .vectors, wallTime: { clock.now.withLock { $0 } }))
    }

    private static func name(
        _ numbers: Range<Int>,
        _ generator: inout SeededGenerator
    ) -> DocumentID {
        DocumentID(unchecked: "doc-\(Int.random(in: numbers, using: &generator))")
    }

    private func meet(_ here: Site, _ there: Site) -> Conversation {
        var options = Conversation.Options()
        options.remoteIdentity = "ws://peer:4984/db/_blipsync"
        var run = Conversation(options, here: here, there: there, subprotocol: .version4)
        run.run()
        return run
    }

    @Test(arguments: [true, false])
    func `a save with a clock ahead blocks later saves until the repair, then both sides converge`(
        isClient: Bool
    ) throws {
        let clock = Clock()
        let (broken, other) = (try site(clock), try site(Clock()))
        let (here, there) = isClient ? (broken, other) : (other, broken)
        try broken.save("old", #"{"n":1}"#)
        _ = meet(here, there)
        clock.set(Self.right + Self.year)
        try broken.save("ahead", #"{"n":1}"#)
        clock.set(Self.right)
        try broken.save("old", #"{"n":2}"#)
        try broken.save("later", #"{"n":1}"#)
        #expect(meet(here, there).failures.count == 3)
        #expect(try broken.contents() != other.contents())

        let repair = try broken.store.repairClock()
        #expect(repair.restampedCount == 3 && repair.sharedCount == 0)
        let run = meet(here, there)
        #expect(run.failures == [] && run.error == nil)
        #expect(try broken.contents() == other.contents())
        try broken.save("later", #"{"n":2}"#)
        try other.save("old", #"{"n":3}"#)
        #expect(meet(here, there).failures == [])
        #expect(try broken.contents() == other.contents())
    }

    /// Both clocks were ahead when they met, and both are right again.
    @Test
    func `documents saved while both clocks were ahead can be edited and synced after the repair`()
        throws
    {
        let clock = Clock()
        let (here, there) = (try site(clock), try site(clock))
        clock.set(Self.right + Self.year)
        try here.save("ours", #"{"n":1}"#)
        _ = meet(here, there)
        #expect(try here.contents() == there.contents())
        clock.set(Self.right)
        for site in [here, there] { _ = try site.store.repairClock() }
        try here.save("ours", #"{"n":2}"#)
        try here.save("new", #"{"n":1}"#)
        try there.save("other", #"{"n":1}"#)
        let run = meet(here, there)
        #expect(run.failures == [] && run.error == nil)
        #expect(try here.contents() == there.contents())
    }

    /// Random saves, meetings and jumps of one clock; the seed is the test's argument.
    @Test(arguments: 0..<60 as Range<UInt64>)
    func `random clock jumps followed by a repair end with equal databases`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let clock = Clock()
        let (here, there) = (try site(clock), try site(Clock()))
        for step in 0..<Int.random(in: 2...16, using: &generator) {
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: clock.set(Self.right + Self.year)
            case 1: clock.set(Self.right)
            case 2: _ = meet(here, there)
            case 3: try there.save(Self.name(5..<8, &generator), "{\"t\":\(step)}")
            default: try here.save(Self.name(0..<5, &generator), "{\"h\":\(step)}")
            }
        }
        clock.set(Self.right)
        _ = try here.store.repairClock()
        for _ in 0..<2 { _ = meet(here, there) }
        #expect(try here.contents() == there.contents())
        #expect(meet(here, there).failures == [])
    }

    @Test func `a peer at the clock limit does not make the hub unacceptable to others`() throws {
        let hub = try site(Clock())
        let ahead = Clock()
        let fast = try site(ahead)
        let slow = Clock()
        slow.set(Self.right - 50_000_000_000)
        let honest = try site(slow)
        for number in 0..<20 {
            ahead.set(Self.right + HybridClock.tolerance - 1)
            try fast.save("bad", "{\"n\":\(number)}")
            _ = meet(fast, hub)
            try hub.save("good", "{\"n\":\(number)}")
        }
        let run = meet(honest, hub)
        #expect(run.failures.allSatisfy { $0.documentID != "good" }, "\(run.failures)")
        #expect(try honest.revision("good") != nil)
    }
}
