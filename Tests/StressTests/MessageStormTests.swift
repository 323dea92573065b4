import DivanLZ4
import DivanStress
import DivanZlib
import Testing

/// A few thousand of the million messages that `make stress` sends.
@Suite struct MessageStormTests {
    @Test(arguments: UInt64(1)...6)
    func `random messages in random pieces arrive unchanged`(seed: UInt64) throws {
        var storm =
            seed % 2 == 1
            ? MessageStorm(seed: seed, messageCount: 400, codec: .deflate)
            : MessageStorm(seed: seed, messageCount: 400, codec: .lz4)
        let outcome = try storm.run()
        #expect(outcome.mistakes == [], "seed \(seed)")
        #expect(outcome.arrivedCount >= 400, "seed \(seed)")
    }

    @Test func `the same seed gives the same messages`() throws {
        var first = MessageStorm(seed: 7, messageCount: 200, codec: .deflate)
        var second = MessageStorm(seed: 7, messageCount: 200, codec: .deflate)
        let (one, other) = (try first.run(), try second.run())
        #expect(one.byteCount == other.byteCount)
        #expect(one.arrivedCount == other.arrivedCount)
    }
}
