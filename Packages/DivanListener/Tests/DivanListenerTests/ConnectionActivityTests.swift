import Testing

@testable import DivanListener

struct ConnectionActivityTests {
    private let start = ContinuousClock.now

    @Test func `a new connection counts as active for half a second`() {
        let activity = ConnectionActivity(openedAt: start)
        #expect(activity.isActive(at: start))
        #expect(activity.isActive(at: start + .milliseconds(499)))
        #expect(!activity.isActive(at: start + .milliseconds(500)))
    }

    @Test func `a busy connection counts as active until half a second after its work`() {
        var activity = ConnectionActivity(openedAt: start)
        activity.note(isBusy: true, at: start + .seconds(10))
        #expect(activity.isActive(at: start + .seconds(3_600)))
        activity.note(isBusy: false, at: start + .seconds(4_000))
        #expect(activity.isActive(at: start + .milliseconds(4_000_499)))
        #expect(!activity.isActive(at: start + .milliseconds(4_000_500)))
    }

    @Test func `transferred documents count as activity, a status event does not`() {
        var activity = ConnectionActivity(openedAt: start)
        activity.note(isBusy: false, at: start + .seconds(2))
        #expect(!activity.isActive(at: start + .seconds(2)))
        activity.noteDocuments(at: start + .seconds(3))
        activity.note(isBusy: false, at: start + .seconds(3))
        #expect(activity.isActive(at: start + .milliseconds(3_499)))
        #expect(!activity.isActive(at: start + .milliseconds(3_500)))
    }
}
