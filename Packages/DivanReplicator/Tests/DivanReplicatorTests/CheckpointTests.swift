import DivanReplicator
import DivanRevisions
import DivanStore
import DivanTestKit
import Testing

/// Names and bodies of checkpoints against the vectors, and the comparison of two copies.
@Suite struct CheckpointTests {
    @Test(arguments: try CheckpointVectors.load().ids)
    func `derives the same checkpoint ID as Couchbase Lite`(_ vector: CheckpointVectors.ID) throws {
        let uuid = try #require([UInt8](hex: vector.inputs.privateUUID))
        var inputs = CheckpointID.Inputs(privateUUID: uuid, remoteIdentity: vector.inputs.url)
        inputs.scope = vector.inputs.scope ?? "_default"
        inputs.collection = vector.inputs.collection ?? "_default"
        inputs.pulls = vector.inputs.pull ?? true
        inputs.pushes = vector.inputs.push ?? true
        inputs.channels = vector.inputs.channels ?? []
        inputs.documentIDs = (vector.inputs.docIDs ?? []).map { DocumentID(unchecked: $0) }
        #expect(CheckpointID(inputs).description == vector.checkpointID)
    }

    /// Close to the greatest count of the short form, and with more bytes than a short pointer spans.
    @Test(arguments: [1, 2_046, 2_047, 2_048, 9_000, 20_000])
    func `lists of any length that differ in one entry have different checkpoint IDs`(count: Int) {
        var inputs = CheckpointID.Inputs(privateUUID: [1, 2], remoteIdentity: "ws://a/b")
        inputs.documentIDs = (0..<count).map { DocumentID(unchecked: "d\($0)") }
        inputs.channels = inputs.documentIDs.map(\.text)
        let name = CheckpointID(inputs)
        for index in Set([0, count / 2, count - 1]) {
            var others = inputs
            others.documentIDs[index] = "another"
            #expect(CheckpointID(others) != name)
            others = inputs
            others.channels[index] = "another"
            #expect(CheckpointID(others) != name)
        }
    }

    @Test(arguments: try CheckpointVectors.load().bodies)
    func `encodes and decodes a body`(_ vector: CheckpointVectors.Body) throws {
        let content = vector.json
        var checkpoint = Checkpoint()
        if let pairs = content.localCompleted {
            for index in stride(from: 0, to: pairs.count, by: 2) {
                checkpoint.completed.insert(pairs[index]..<(pairs[index] + pairs[index + 1]))
            }
        } else if let local = content.local {
            checkpoint.completed = SequenceSet(through: local)
        }
        checkpoint.remote = content.remote.map { RemoteSequence(json: $0.json) }

        let text = String(decoding: checkpoint.json(time: content.time), as: UTF8.self)
        var expected = "{\"time\":\(content.time)"
        if let local = content.local { expected += ",\"local\":\(local)" }
        if let pairs = content.localCompleted {
            expected += ",\"localCompleted\":[\(pairs.map(String.init).joined(separator: ","))]"
        }
        if let remote = content.remote { expected += ",\"remote\":\(remote.json)" }
        #expect(text == expected + "}")
        #expect(Checkpoint(json: Array(text.utf8)) == checkpoint)
    }

    @Test(arguments: [
        ("not JSON", "{0}"), ("[]", "{0}"), (#"{"local":-4}"#, "{0}"), (#"{"local":"7"}"#, "{0}"),
        (#"{"localCompleted":[0,3,5]}"#, "{0-2}"), (#"{"localCompleted":[0,3,5,0,9,1]}"#, "{0-2}"),
        (#"{"localCompleted":[1,18446744073709551615]}"#, "{0}"), (#"{"local":7}"#, "{0-7}"),
        (#"{"local":3,"localCompleted":[0,9]}"#, "{0-8}"),
    ])
    func `decodes the valid part of a malformed body`(body: String, ranges: String) {
        let completed = Checkpoint(json: Array(body.utf8)).completed
        let text = completed.ranges
            .map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound - 1)" }
            .joined(separator: ",")
        #expect("{\(text)}" == ranges)
    }

    @Test func `a range in doubt is saved until everything before it is completed`() {
        var checkpoint = Checkpoint(json: Array(#"{"local":7,"localDoubted":9}"#.utf8))
        #expect(checkpoint.doubtedThrough == 9)
        #expect(Checkpoint(json: checkpoint.json(time: 0)) == checkpoint)
        checkpoint.completed.insert(8..<10)
        #expect(Checkpoint(json: checkpoint.json(time: 0)).doubtedThrough == 0)
        #expect(Checkpoint(json: Array(#"{"localDoubted":-1}"#.utf8)).doubtedThrough == 0)
    }

    @Test func `keeps only ranges that both copies mark as pushed`() {
        var mine = Checkpoint(json: Array(#"{"localCompleted":[0,11,15,6]}"#.utf8))
        let theirs = Checkpoint(json: Array(#"{"local":16}"#.utf8))
        let isChanged = mine.reconcile(with: theirs)
        #expect(isChanged)
        #expect(mine == Checkpoint(json: Array(#"{"localCompleted":[0,11,15,2]}"#.utf8)))
        let copy = mine
        let isChangedAgain = mine.reconcile(with: copy)
        #expect(!isChangedAgain)
    }

    @Test(
        arguments: [
            ("5", "5", "5", false), ("5", "9", "5", false), ("9", "5", "5", true),
            ("9", nil, nil, true), (nil, "9", nil, false), (#""a""#, #""b""#, nil, true),
            (#""12:5""#, "11", "11", true), (#""12:5""#, "13", #""12:5""#, false),
            (#""3:12:5""#, "7", #""3:12:5""#, false), ("7", #""3::5""#, #""3::5""#, true),
        ] as [(String?, String?, String?, Bool)]
    )
    func `uses the earlier remote sequence, or none if the two cannot be compared`(
        mine: String?,
        theirs: String?,
        result: String?,
        isChanged: Bool
    ) {
        var checkpoint = Checkpoint()
        checkpoint.remote = mine.map { RemoteSequence(json: $0) }
        var peer = Checkpoint()
        peer.remote = theirs.map { RemoteSequence(json: $0) }
        let hasChanged = checkpoint.reconcile(with: peer)
        #expect(hasChanged == isChanged)
        #expect(checkpoint.remote?.json == result)
    }
}
