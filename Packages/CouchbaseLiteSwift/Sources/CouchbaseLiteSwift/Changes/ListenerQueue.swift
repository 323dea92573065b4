import Dispatch
import DivanLog
import Synchronization

/// Where listeners run if no queue is named.
///
/// The main queue, as in the official SDK. A daemon that never drains the main queue sets
/// ``Database/defaultListenerQueue`` once at its start.
enum ListenerQueue {
    private static let chosen = Mutex<DispatchQueue?>(nil)

    static var standard: DispatchQueue {
        get { chosen.withLock { $0 } ?? .main }
        set { chosen.withLock { $0 = newValue } }
    }
}
