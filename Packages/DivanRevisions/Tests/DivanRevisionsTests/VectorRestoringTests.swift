import DivanRevisions
import Testing

/// Histories of another engine are taken over as they come.
@Suite struct VectorRestoringTests {
    private func state(_ number: Int) throws -> VectorHistory.RestoredState {
        let source = try #require(SourceID(bytes: [UInt8](repeating: 7, count: 16)))
        let time = 0x18e9_df10_8c79_0000 + UInt64(number)
        let version = try #require(Version(time: time, source: source))
        return VectorHistory.RestoredState(
            MixedVector(vector: VersionVector(version)),
            body: nil,
            remotes: number == 0 ? [] : [RemoteID(rawValue: UInt32(number))]
        )
    }

    /// As many as a record of Couchbase Lite may have; each was looked for among all others.
    @Test(.timeLimit(.minutes(5)))
    func `the revisions of many remotes are restored in linear time`() throws {
        let others = try (1...65_535).map { try state($0) }
        let history = try VectorHistory(restoring: try state(0), others: others, sequence: 1)
        #expect(history.known.count == 65_536)
        #expect(history.latest(at: RemoteID(rawValue: 65_535)) == others.last?.mixed.current)
        #expect(throws: RevisionError.self) {
            try VectorHistory(
                restoring: try state(0),
                others: [try state(1), try state(1)],
                sequence: 1
            )
        }
    }
}
