/// Whether a connection counts as active.
///
/// Small exchanges take a millisecond, within one turn of the loop, so counting the connections that work
/// at one instant would show none. Therefore a connection counts from its opening, while it works, and
/// for half a second after.
struct ConnectionActivity {
    /// How long a connection counts after its last work.
    static let afterglow = Duration.milliseconds(500)

    private var isBusy = false
    private var lastWork: ContinuousClock.Instant

    /// Creates the state of a connection that was just opened.
    init(openedAt now: ContinuousClock.Instant) {
        lastWork = now
    }

    /// Notes that the engine has work left, or none.
    mutating func note(isBusy: Bool, at now: ContinuousClock.Instant) {
        if self.isBusy || isBusy { lastWork = now }
        self.isBusy = isBusy
    }

    /// Notes that documents were received or sent.
    mutating func noteDocuments(at now: ContinuousClock.Instant) {
        lastWork = now
    }

    /// When the connection last worked, or was opened; a busy one works now.
    func lastWork(at now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        isBusy ? now : lastWork
    }

    func isActive(at now: ContinuousClock.Instant) -> Bool {
        isBusy || now < lastWork + Self.afterglow
    }
}
