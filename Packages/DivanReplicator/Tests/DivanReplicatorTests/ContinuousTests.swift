import DivanReplicator
import DivanRevisions
import DivanStore
import Testing

/// Replications that stay connected.
@Suite struct ContinuousTests {
    private func connected(
        _ here: Site,
        _ there: Site,
        _ options: Conversation.Options = .init(isContinuous: true)
    ) -> Conversation {
        var run = Conversation(options, here: here, there: there)
        run.run()
        return run
    }

    @Test func `becomes idle and stays connected`() throws {
        let (here, there) = (try Site(), try Site())
        try here.save("a", "{}")
        let run = connected(here, there)
        #expect(run.closeCode == nil)
        #expect(run.statuses.last?.activity == .idle)
        #expect(run.statuses.map(\.activity).contains(.busy))
    }

    @Test func `later changes sync in both directions and are not echoed`() throws {
        let (here, there) = (try Site(), try Site())
        var run = connected(here, there)
        try here.save("mine", #"{"n":1}"#)
        run.run()
        try there.save("theirs", #"{"n":2}"#)
        run.run()
        try here.save("theirs", #"{"n":3}"#)
        try there.delete("mine")
        run.run()

        #expect(try here.contents() == there.contents())
        #expect(
            run.transfers == ["push mine", "pull theirs", "push theirs", "pull mine"]
                || run.transfers == ["push mine", "pull theirs", "pull mine", "push theirs"]
        )
        #expect(run.failures == [])
        #expect(run.statuses.last?.activity == .idle)
    }

    @Test func `rapid edits of one document arrive as the newest revision`() throws {
        let (here, there) = (try Site(), try Site())
        var run = connected(here, there)
        for number in 0..<40 {
            try here.save("a", #"{"n":\#(number)}"#)
            _ = run.step()
        }
        run.run()
        #expect(try there.body("a") == #"{"n":39}"#)
        #expect(try here.contents() == there.contents())
        #expect(run.failures == [])
    }

    @Test func `checkpoints are saved at most five seconds after a change`() throws {
        let (here, there) = (try Site(), try Site())
        var run = connected(here, there)
        try here.save("a", "{}")
        run.run()
        run.advance(by: .seconds(6))
        run.cut()
        #expect(run.statuses.last?.error?.code == 1006)

        // Nothing has to be proposed again.
        let next = Conversation.oneShot(.init(), here, there)
        #expect(next.transfers == [])
        #expect(next.frameCount < 14)
    }

    @Test func `edits on both sides while connected converge`() throws {
        let (here, there) = (try Site(), try Site())
        var run = connected(here, there)
        for round in 0..<10 {
            try here.save("a", #"{"here":\#(round)}"#)
            try there.save("a", #"{"there":\#(round)}"#)
            run.run()
        }
        #expect(try here.contents() == there.contents())
        #expect(run.failures == [])
    }

    @Test func `progress is reported at most five times a second`() throws {
        let (here, there) = (try Site(), try Site())
        for number in 0..<2_000 { try there.save(DocumentID(unchecked: "doc\(number)"), "{}") }
        let run = connected(here, there)
        // Everything happens at one moment of virtual time: busy, then idle.
        #expect(run.statuses.map(\.activity) == [.busy, .idle])
        #expect(run.statuses.last?.documentCount == 2_000)
        #expect(run.statuses.last?.completedUnitCount == run.statuses.last?.totalUnitCount)
    }

    @Test func `stopping closes and reports stopped`() throws {
        let (here, there) = (try Site(), try Site())
        var run = connected(here, there)
        run.active.stop(at: run.now)
        run.run()
        #expect(run.closeCode == 1000)
        #expect(run.statuses.last?.activity == .stopped)
        #expect(run.error == nil)
    }

    @Test func `a disconnect at any moment loses nothing`() throws {
        for steps in 0..<24 {
            let (here, there) = (try Site(), try Site())
            for number in 0..<5 {
                try here.save(DocumentID(unchecked: "mine\(number)"), "{}")
                try there.save(DocumentID(unchecked: "theirs\(number)"), "{}")
            }
            var run = Conversation(.init(isContinuous: true), here: here, there: there)
            for _ in 0..<steps { _ = run.step() }
            run.cut()
            let next = Conversation.oneShot(.init(), here, there)
            #expect(next.failures == [], "cut after \(steps) steps")
            #expect(try here.contents() == there.contents(), "cut after \(steps) steps")
            #expect(try here.contents().count == 10)
        }
    }
}
