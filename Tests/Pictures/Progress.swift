import CouchbaseLiteSwift
import Synchronization

/// The progress that the fetches of one picture reported.
final class Progress: Sendable {
    private struct State {
        var isFirst = true
        var resumed: [UInt64] = []
        var toCut: URLEndpointListener?
    }

    private let state: Mutex<State>

    /// - Parameter listener: Cuts its connections once a piece has arrived, once.
    init(cutting listener: URLEndpointListener?) {
        state = Mutex(State(toCut: listener))
    }

    /// The offset of each fetch that did not begin at the beginning.
    var resumed: [UInt64] { state.withLock(\.resumed) }

    /// Another fetch begins.
    func begin() {
        state.withLock { $0.isFirst = true }
    }

    func hear(_ progress: BlobProgress) {
        let listener = state.withLock { state in
            if state.isFirst, progress.resumedByteCount > 0 {
                state.resumed.append(progress.resumedByteCount)
            }
            state.isFirst = false
            defer { state.toCut = nil }
            return state.toCut
        }
        guard let listener else { return }
        for connection in listener.connections { listener.disconnect(connection) }
    }
}
