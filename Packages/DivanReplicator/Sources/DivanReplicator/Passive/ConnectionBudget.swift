import Synchronization

/// What the peers of all connections of a listener may make it hold together: messages that are not
/// complete, revisions that wait for blobs, answers that nobody reads, lists of what they want.
///
/// The connections of one party, a user or an address, count together, so that many of them weigh as
/// much as one. When there is too much, the heaviest connection of the heaviest party yields: it is
/// closed with an error that says so, and may come again. It may take a second to notice; a party that
/// goes on meanwhile, and is an eighth above what it may have, pays with the connection that adds.
/// Everybody else goes on. Any thread may use it.
public final class ConnectionBudget: Sendable {
    fileprivate struct Account {
        var byteCount = 0
        var holdings: [UInt64: Int] = [:]
    }

    fileprivate struct State {
        var byteCount = 0
        var accounts: [[UInt8]: Account] = [:]
        /// The most that was held since the last ease.
        var highestByteCount = 0
        var lastNumber: UInt64 = 0
        /// Connections that are to yield and have not noticed yet.
        var yielding: Set<UInt64> = []
    }

    /// Bytes of all connections.
    public let byteCount: Int
    /// Bytes of all connections of one party.
    public let partyByteCount: Int
    private let state = Mutex(State())
    private let onEase: @Sendable () -> Void

    /// Creates a budget of which nothing is used.
    ///
    /// - Parameters:
    ///   - byteCount: Bytes of all connections.
    ///   - partyByteCount: Bytes of all connections of one party.
    ///   - onEase: Called, on the thread of any connection, when much was held and little of it is:
    ///     a time to give memory back to the system.
    public init(byteCount: Int, partyByteCount: Int, onEase: @escaping @Sendable () -> Void = {}) {
        self.byteCount = byteCount
        self.partyByteCount = partyByteCount
        self.onEase = onEase
    }

    /// Bytes that are held now, as far as connections told.
    public var heldByteCount: Int { state.withLock { $0.byteCount } }

    /// One connection's part, for as long as it lives.
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

        /// Lets go of everything: the next may be named.
        func release() {
            let isEased = budget.state.withLock { state in
                state.set(0, number, party)
                state.yielding.remove(number)
                return state.isEased()
            }
            if isEased { budget.onEase() }
        }

        /// Tells what this connection holds; true when it has to yield.
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

    /// Takes part until the membership is let go.
    func join(party: String) -> Membership { Membership(of: self, party: party) }
}

extension ConnectionBudget.State {
    /// What an ease begins with.
    private static let muchByteCount = 16 << 20

    /// Whether little is held of what was much; true once for each time.
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

    /// Whether a party may not add to what it holds, whoever was named.
    fileprivate func isFull(for party: [UInt8], _ budget: ConnectionBudget) -> Bool {
        let held = accounts[party]?.byteCount ?? 0
        if held > budget.partyByteCount + budget.partyByteCount / 8 { return true }
        return byteCount > budget.byteCount + budget.byteCount / 8
            && held >= heaviest?.byteCount ?? 0
    }

    /// Names who has to yield, one at a time: what they hold comes free before the next is named.
    fileprivate mutating func choose(_ budget: ConnectionBudget) {
        guard yielding.isEmpty, let heaviest,
            byteCount > budget.byteCount || heaviest.byteCount > budget.partyByteCount,
            let number = heaviest.holdings.max(by: { $0.value < $1.value })?.key
        else { return }
        yielding.insert(number)
    }
}
