import CDivanTransport
import Dispatch
import Synchronization

/// Memory that this process has freed and its allocator keeps.
///
/// After one message of 30 MB glibc keeps blocks of that size for the next one, in each thread's arena:
/// a listener that was attacked would stay as large as it was then.
public enum FreeMemory {
    private static let isDue = Atomic(false)

    /// Gives it back to the system a second later, when what is being freed now is, too.
    ///
    /// Calls meanwhile count once. Any thread may ask; a background thread does it.
    public static func giveBackSoon() {
        guard !isDue.exchange(true, ordering: .relaxed) else { return }
        Later.run(after: .seconds(1), on: .global(qos: .utility)) {
            isDue.store(false, ordering: .relaxed)
            divan_give_memory_back()
        }
    }
}
