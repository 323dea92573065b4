import DivanHTTP
import Synchronization

/// What the bodies of requests take, over all connections of a server.
///
/// One party has half of it at most, so that what it sends and never ends leaves room to the others.
final class BodyRoom: Sendable {
    private struct State {
        var byteCount = 0
        var parties: [SocketAddress.Origin: Int] = [:]
    }

    private let limit: Int
    private let state = Mutex(State())

    /// Room as the limits have it, and for two of the largest bodies in any case.
    init(_ limits: HTTPLimits) {
        let (two, isTooMany) = limits.bodyByteCount.multipliedReportingOverflow(by: 2)
        limit = max(limits.heldBodyByteCount, isTooMany ? .max : two)
    }

    /// Takes so many bytes; false, and none taken, where they are not there.
    func take(_ byteCount: Int, for party: SocketAddress.Origin?) -> Bool {
        state.withLock { state in
            guard byteCount <= limit - state.byteCount else { return false }
            if let party {
                let own = state.parties[party, default: 0] + byteCount
                guard own <= limit / 2 else { return false }
                state.parties[party] = own
            }
            state.byteCount += byteCount
            return true
        }
    }

    /// Gives bytes back that were taken.
    func giveBack(_ byteCount: Int, for party: SocketAddress.Origin?) {
        state.withLock { state in
            state.byteCount -= byteCount
            guard let party, let own = state.parties[party] else { return }
            state.parties[party] = own > byteCount ? own - byteCount : nil
        }
    }
}
