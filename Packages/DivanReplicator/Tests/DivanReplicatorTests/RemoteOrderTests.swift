import DivanRevisions
import Testing

// How often a table is scanned only affects the time, so this test looks inside.
@testable import DivanReplicator

/// The cost per recorded revision does not grow if a peer announces many that never arrive.
@Suite struct RemoteOrderTests {
    @Test(arguments: [true, false])
    func `the documents in transit are not scanned for each arriving revision`(isFirst: Bool) throws
    {
        let awaited = Set((0..<10_000).map { DocumentID(unchecked: "doc\($0)") })
        let revisionID = try #require(RevisionID("2-aa"))
        var lookCount = 0
        func look() -> Set<DocumentID> {
            lookCount += 1
            return awaited
        }
        var order = RemoteOrder()
        for number in 0..<10_500 {
            _ = order.noteArrival(
                of: DocumentID(unchecked: "doc\(number)"),
                revisionID,
                UInt64(number),
                isFirst: isFirst,
                awaited: look()
            )
        }
        #expect(lookCount < 5)
    }
}
