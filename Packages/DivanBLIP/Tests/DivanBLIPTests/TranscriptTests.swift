import DivanBLIP
import DivanTestKit
import Testing

/// Real conversations of Couchbase Lite and Sync Gateway, every frame of both directions.
@Suite struct TranscriptTests {
    @Test(arguments: Transcript.names)
    func `both directions decode to the recorded messages`(name: String) throws {
        let recordings = try Transcript.recordings(name)
        #expect(!recordings.isEmpty)
        for recording in recordings {
            for direction in Recording.Direction.allCases {
                let received = try recording.received(direction)
                #expect(received == recording.expected(direction), "\(recording), \(direction)")
            }
        }
    }

    @Test
    func `a lost frame is detected at the next frame`() throws {
        for recording in try Transcript.recordings("litecore-push-revtree") {
            let frames = recording.frames.filter { $0.direction == .toServer }.map(\.bytes)
            guard frames.count > 2 else { continue }
            var connection = BLIPConnection()
            let error = #expect(throws: BLIPError.self) {
                try connection.events(of: Array(frames.dropFirst()))
            }
            #expect(error?.frameIndex == 0)
            #expect(error?.closeCode == 1002)
        }
    }
}
