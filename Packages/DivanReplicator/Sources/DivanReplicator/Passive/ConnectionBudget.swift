import Synchronization

/// Limits the memory of all connections of a listener: incomplete messages, revisions waiting for blobs, unread
/// answers, lists of requested documents.
///
/// The connections of one party, a user or an address, count together. Above the limit, the connection that uses the
/// most, of the party that uses the most, is closed with an error; it can reconnect. This can take a second. If the
/// party exceeds its limit by an eighth in the meantime, the connection that adds more is also closed. All other
/// connections continue. Can be used from any thread.
public final class ConnectionBudget: Sendable {
    fileprivate struct Account {
        var byteCount = 0
        var holdings: [UInt64: Int] = [:]
    }

    fileprivate struct State {
        var byteCount = 0
        var accounts: [[UInt8]: Account] = [:]
        /// The maximum held since the last ease.
        var highestByteCount = 0
        var lastNumber: UInt64 = 0
        /// Connections that must yield and have not noticed yet.
        var yielding: Set<UInt64> = []
    }

    /// The limit for all connections, in bytes.
    public let byteCount: Int
    /// The limit for all connections of one party, in bytes.
    public let partyByteCount: Int
    private let state = Mutex(State())
    private let onEase: @Sendable () -> Void

    /// Creates an unused budget.
    ///
    /// - Parameters:
    ///   - byteCount: The limit for all connections, in bytes.
    ///   - partyByteCount: The limit for all connections of one party, in bytes.
    ///   - onEase: Called on the thread of any connection when memory use has dropped: a good time to return memory to
    ///     the system.
    public init(byteCount: Int, partyByteCount: Int, onEase: @escaping @Sendable () -> Void = {}) {
        self.byteCount = byteCount
        self.partyByteCount = partyByteCount
        self.onEase = onEase
    }

    /// Bytes in use, as reported by the connections.
    public var heldByteCount: Int { state.withLock { $0.byteCount } }

    /// One connection's share, for its lifetime.
    final class Membership: Sendable {
        private let budget: ConnectionBudget
        private let party: [UInt8]
        private let number: UInt64

        fileprivate init(of budget: ConnectionBudget, party: String) {
            self.budget = budget
            self.party = Array(party.utf8)
            number = budget.state.withLock { state in
                state.lastNumber += 1
                return state.lastNumber
            }
        }

        deinit { release() }

        /// Releases everything: the next connection may be chosen.
        func release() {
            let isEased = budget.state.withLock { state in
                state.set(0, number, party)
                state.yielding.remove(number)
                return state.isEased()
            }
            if isEased { budget.onEase() }
        }

        /// Reports what this connection holds; true if it must yield.
        func hold(_ byteCount: Int) -> Bool {
            let (yields, isEased) = budget.state.withLock { state in
                state.set(byteCount, number, party)
                state.choose(budget)
                let yields = state.yielding.contains(number) || state.isFull(for: party, budget)
                return (yields, state.isEased())
            }
            if isEased { budget.onEase() }
            return yields
        }
    }

    /// Takes part until the membership is released.
    func join(party: String) -> Membership { Membership(of: self, party: party) }
}

extension ConnectionBudget.State {
    /// The minimum that must have been held before an ease.
    private static let muchByteCount = 16 << 20

    /// Whether little is left of much; true once each time.
    fileprivate mutating func isEased() -> Bool {
        highestByteCount = max(highestByteCount, byteCount)
        guard highestByteCount >= Self.muchByteCount, byteCount <= highestByteCount / 8 else {
            return false
        }
        highestByteCount = byteCount
        return true
    }

    fileprivate mutating func set(_ byteCount: Int, _ number: UInt64, _ party: [UInt8]) {
        var account = accounts[party] ?? ConnectionBudget.Account()
        let change = byteCount - (account.holdings[number] ?? 0)
        account.holdings[number] = byteCount > 0 ? byteCount : nil
        account.byteCount += change
        self.byteCount += change
        accounts[party] = account.holdings.isEmpty ? nil : account
    }

    private var heaviest: ConnectionBudget.Account? {
        accounts.values.max { $0.byteCount < $1.byteCount }
    }

    /// Whether a party may not add to what it holds, whichever connection was chosen.
    fileprivate func isFull(for party: [UInt8], _ budget: ConnectionBudget) -> Bool {
        let held = accounts[party]?.byteCount ?? 0
        if held > budget.partyByteCount + budget.partyByteCount / 8 { return true }
        return byteCount > budget.byteCount + budget.byteCount / 8
            && held >= heaviest?.byteCount ?? 0
    }

    /// Chooses who must yield, one at a time: what it holds is released before the next is chosen.
    fileprivate mutating func choose(_ budget: ConnectionBudget) {
        guard yielding.isEmpty, let heaviest,
            byteCount > budget.byteCount || heaviest.byteCount > budget.partyByteCount,
            let number = heaviest.holdings.max(by: { $0.value < $1.value })?.key
        else { return }
        yielding.insert(number)
    }
}
