import Testing

@testable import DivanCommand

/// How refusals are grouped between two polls.
@Suite struct RefusalsTests {
    private func entry(_ address: Int, _ moment: Int64) -> Refusals.Entry {
        Refusals.Entry(
            database: "a",
            address: "\(address)",
            user: nil,
            status: 401,
            moment: moment
        )
    }

    @Test func `refusals of more than 200 kinds are counted, and repetitions are grouped`() {
        let refusals = Refusals()
        for address in 0..<Refusals.limit + 3 { refusals.add(entry(address, 1)) }
        refusals.add(entry(0, 2))
        let taken = refusals.take()
        #expect(taken.entries.count == Refusals.limit && taken.omittedCount == 3)
        #expect(taken.entries.first?.count == 2 && taken.entries.first?.moment == 2)
        let next = refusals.take()
        #expect(next.entries.isEmpty && next.omittedCount == 0)
    }
}
