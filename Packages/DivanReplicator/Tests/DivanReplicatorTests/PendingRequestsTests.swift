import DivanBLIP
import DivanTestKit
import DivanZlib
import Testing

@testable import DivanReplicator

@Suite struct PendingRequestsTests {
    /// While nobody asks for the oldest, memory must not grow with each document of a long pull.
    @Test(arguments: UInt64(0)..<20)
    func `answered requests are removed even if the oldest is never asked for`(seed: UInt64) throws
    {
        var random = SeededGenerator(seed: seed)
        var blip = BLIPConnection(codec: DeflateCodec())
        var questions = PendingRequests()
        var open: [(number: BLIPRequestNumber, since: Duration)] = []
        for step in 1...5_000 {
            let sent = blip.send(BLIPRequest(properties: [:]))
            let number = try #require(sent)
            let now = Duration.milliseconds(step)
            questions.add(number, .proposals(collection: 0, []), at: now)
            open.append((number, now))
            while open.count > Int.random(in: 1...40, using: &random) {
                let answered = open.remove(at: Int.random(in: 0..<open.count, using: &random))
                _ = questions.answered(answered.number, isRefused: false)
            }
            // At most 41 are open at one time.
            #expect(questions.rememberedCount <= 2 * 41 + 64)
            guard step.isMultiple(of: 100) else { continue }
            #expect(questions.oldest() == open.first?.since)
        }
    }
}
