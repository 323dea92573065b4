import Dispatch
import DivanPlatform
import Synchronization

/// Memory that this process has freed but that its allocator keeps.
///
/// After one 30 MB message glibc keeps blocks of that size for the next one, in each thread's arena: after an
/// attack a listener would keep that much memory.
public enum FreeMemory {
    private static let isDue = Atomic(false)

    /// Returns the memory to the system a second later, when memory that is being freed now is free as well.
    ///
    /// Further calls in that second have no effect. Can be called from any thread; a background thread does the
    /// work.
    public static func releaseSoon() {
        guard !isDue.exchange(true, ordering: .relaxed) else { return }
        Later.run(after: .seconds(1), on: .global(qos: .utility)) {
            isDue.store(false, ordering: .relaxed)
            Memory.giveBack()
        }
    }
}
