import DivanBLIP
import DivanReplicator
import DivanRevisions
import DivanZlib
import Testing

/// Received revisions are stored together, and answered once they are stored safely.
@Suite struct BatchTests {
    @Test func `a batch is stored in one transaction and acknowledged afterwards`() throws {
        let site = try Site()
        let peer = Conversation.Options().passive.makePeer(store: site.store)
        peer.connected(subprotocol: Subprotocol.version2.rawValue, at: .zero)
        var client = BLIPConnection(codec: DeflateCodec())
        for number in 0..<100 {
            let properties: BLIPProperties = ["id": "doc\(number)", "rev": "1-aa"]
            client.send(
                BLIPRequest(profile: "rev", properties: properties, body: .bytes(Array("{}".utf8)))
            )
        }
        var frame: [UInt8] = []
        while client.nextFrame(into: &frame) {
            peer.receive(frame.span, at: .zero)
            frame = []
        }
        let isAnswered = peer.nextFrame(into: &frame)
        #expect(!isAnswered)
        #expect(try site.contents() == [:])

        peer.inputDrained(at: .zero)
        #expect(site.takeChanges().count == 1)
        #expect(try site.contents().count == 100)
        var answerCount = 0
        while peer.nextFrame(into: &frame) {
            answerCount += 1
            frame = []
        }
        #expect(answerCount == 100)
    }

    @Test func `a full batch is stored before the input ends`() throws {
        let site = try Site()
        var options = Conversation.Options()
        options.limits.insertedRevisionsCount = 10
        let peer = options.passive.makePeer(store: site.store)
        peer.connected(subprotocol: Subprotocol.version2.rawValue, at: .zero)
        var client = BLIPConnection(codec: DeflateCodec())
        for number in 0..<25 {
            let properties: BLIPProperties = ["id": "doc\(number)", "rev": "1-aa"]
            client.send(
                BLIPRequest(profile: "rev", properties: properties, body: .bytes(Array("{}".utf8)))
            )
        }
        var frame: [UInt8] = []
        while client.nextFrame(into: &frame) {
            peer.receive(frame.span, at: .zero)
            frame = []
        }
        #expect(try site.contents().count == 20)
    }

    @Test func `one invalid revision does not prevent the others from being stored`() throws {
        let site = try Site()
        try site.put("taken", ["2-bb", "1-aa"], "{}")
        let peer = Conversation.Options().passive.makePeer(store: site.store)
        peer.connected(subprotocol: Subprotocol.version2.rawValue, at: .zero)
        var client = BLIPConnection(codec: DeflateCodec())
        for (id, rev) in [("a", "1-aa"), ("taken", "1-ff"), ("b", "1-bb")] {
            client.send(
                BLIPRequest(
                    profile: "rev",
                    properties: ["id": id, "rev": rev],
                    body: .bytes(Array("{}".utf8))
                )
            )
        }
        var frame: [UInt8] = []
        while client.nextFrame(into: &frame) {
            peer.receive(frame.span, at: .zero)
            frame = []
        }
        peer.inputDrained(at: .zero)
        #expect(try site.contents().keys.sorted() == ["a", "b", "taken"])
        #expect(try site.revision("taken") == "2-bb")
    }
}
