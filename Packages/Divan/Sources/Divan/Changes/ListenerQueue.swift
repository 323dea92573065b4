public import Dispatch
import DivanLog
import Synchronization

/// Where listeners run that name no queue of their own.
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

extension Database {
    /// The queue of all listeners that are added without one; the main queue unless set.
    ///
    /// Process-wide, from any thread; read when an event is delivered. Set it in a program that
    /// neither runs a main run loop nor calls `dispatchMain()`: there the main queue delivers
    /// nothing. An addition to the official API.
    public static var defaultListenerQueue: DispatchQueue {
        get { ListenerQueue.standard }
        set { ListenerQueue.standard = newValue }
    }
}
