import Dispatch
import Synchronization

/// Ends connections soon after their users' rights have changed: checks the file of users four times a second.
///
/// On a queue of its own, so that a slow terminal does not delay it.
final class UserRightsWatcher: Sendable {
    private static let interval = DispatchTimeInterval.milliseconds(250)

    private let users: UserFileAuthenticator
    private let dropOutdated: @Sendable () -> Void
    private let seen: Atomic<UInt64>
    private let queue = DispatchQueue(label: "divan.serve.rights")
    private let isStopped = Atomic(false)

    /// Begins to check; `dropOutdated` is called after each change.
    init(_ users: UserFileAuthenticator, _ dropOutdated: @escaping @Sendable () -> Void) {
        self.users = users
        self.dropOutdated = dropOutdated
        seen = Atomic(users.refresh())
        checkLater()
    }

    /// Ends the checks.
    func stop() { isStopped.store(true, ordering: .relaxed) }

    private func checkLater() {
        queue.asyncAfter(deadline: .now() + Self.interval) { [weak self] in
            guard let self, !isStopped.load(ordering: .relaxed) else { return }
            check()
            checkLater()
        }
    }

    private func check() {
        let edition = users.refresh()
        if seen.exchange(edition, ordering: .relaxed) != edition { dropOutdated() }
    }
}
