import Dispatch
import Synchronization

/// Ends connections soon after their users' rights have changed: checks the files of users and keys, and the tokens, four
/// times a second.
///
/// On a queue of its own, so that a slow terminal does not delay it.
final class AccessWatcher: Sendable {
    private static let interval = DispatchTimeInterval.milliseconds(250)

    private let access: PeerAccess
    private let dropOutdated: @Sendable () -> Void
    private let usersEdition: Atomic<UInt64>
    private let queue = DispatchQueue(label: "divan.serve.rights")
    private let isStopped = Atomic(false)

    /// Begins to check; `dropOutdated` is called after each change.
    init(_ access: PeerAccess, _ dropOutdated: @escaping @Sendable () -> Void) {
        self.access = access
        self.dropOutdated = dropOutdated
        usersEdition = Atomic(access.users?.refresh() ?? 0)
        if access.users != nil || access.tokens != nil { checkLater() }
    }

    /// Ends the checks.
    func stop() { isStopped.store(true, ordering: .relaxed) }

    private func checkLater() {
        queue.asyncAfter(deadline: .now() + Self.interval) { [weak self] in
            guard let self, !isStopped.load(ordering: .relaxed) else { return }
            if hasOutdated() { dropOutdated() }
            checkLater()
        }
    }

    private func hasOutdated() -> Bool {
        let edition = access.users?.refresh() ?? 0
        let isUserChanged = usersEdition.exchange(edition, ordering: .relaxed) != edition
        return access.tokens?.check() == true || isUserChanged
    }
}
