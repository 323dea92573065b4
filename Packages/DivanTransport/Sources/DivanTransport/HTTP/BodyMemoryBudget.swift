import DivanHTTP
import Synchronization

/// The memory for request bodies, and for long answers until the client has taken them, over all connections of a
/// server.
///
/// One party gets at most half, so that a body that it never completes, or an answer that it never takes, leaves room
/// for the others.
final class BodyMemoryBudget: Sendable {
    private struct State {
        var byteCount = 0
        var parties: [SocketAddress.Origin: Int] = [:]
    }

    private let limit: Int
    private let state = Mutex(State())

    /// The room that the limits give, but at least that for two of the largest bodies.
    init(_ limits: HTTPLimits) {
        let (two, isTooMany) = limits.bodyByteCount.multipliedReportingOverflow(by: 2)
        limit = max(limits.heldBodyByteCount, isTooMany ? .max : two)
    }

    /// The room that an answer counts for: one that is longer than any party's share may be sent, too, alone.
    func share(of byteCount: Int) -> Int { min(byteCount, limit / 2) }

    /// Takes `byteCount` bytes; returns false and takes none if there is not enough room.
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

    /// Returns bytes that were taken.
    func giveBack(_ byteCount: Int, for party: SocketAddress.Origin?) {
        state.withLock { state in
            state.byteCount -= byteCount
            guard let party, let own = state.parties[party] else { return }
            state.parties[party] = own > byteCount ? own - byteCount : nil
        }
    }
}
