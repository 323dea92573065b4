import Synchronization

/// What the peers of all connections of a listener may make it hold together: messages that are not
/// complete, revisions that wait for blobs, answers that nobody reads.
///
/// The connections of one party, a user or an address, count together, so that many of them weigh as
/// much as one. When there is too much, the heaviest connection of the heaviest party yields: it is
/// closed with an error that says so, and may come again. Everybody else goes on. Any thread may use
/// it.
public final class ConnectionBudget: Sendable {
    fileprivate struct Account {
        var byteCount = 0
        var holdings: [UInt64: Int] = [:]
    }

    fileprivate struct State {
        var byteCount = 0
        var accounts: [[UInt8]: Account] = [:]
        var lastNumber: UInt64 = 0
        /// Connections that are to yield and have not noticed yet.
        var yielding: Set<UInt64> = []
    }

    /// Bytes of all connections.
    public let byteCount: Int
    /// Bytes of all connections of one party.
    public let partyByteCount: Int
    private let state = Mutex(State())

    /// Creates a budget of which nothing is used.
    public init(byteCount: Int, partyByteCount: Int) {
        self.byteCount = byteCount
        self.partyByteCount = partyByteCount
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

        deinit {
            budget.state.withLock { state in
                state.set(0, number, party)
                state.yielding.remove(number)
            }
        }

        /// Tells what this connection holds; true when it has to yield.
        func hold(_ byteCount: Int) -> Bool {
            budget.state.withLock { state in
                state.set(byteCount, number, party)
                state.choose(budget)
                return state.yielding.contains(number)
            }
        }
    }

    /// Takes part until the membership is let go.
    func join(party: String) -> Membership { Membership(of: self, party: party) }
}

extension ConnectionBudget.State {
    fileprivate mutating func set(_ byteCount: Int, _ number: UInt64, _ party: [UInt8]) {
        var account = accounts[party] ?? ConnectionBudget.Account()
        let change = byteCount - (account.holdings[number] ?? 0)
        account.holdings[number] = byteCount > 0 ? byteCount : nil
        account.byteCount += change
        self.byteCount += change
        accounts[party] = account.holdings.isEmpty ? nil : account
    }

    /// Names who has to yield, one at a time: what they hold comes free before the next is named.
    fileprivate mutating func choose(_ budget: ConnectionBudget) {
        guard yielding.isEmpty else { return }
        let heaviest = accounts.values.max { $0.byteCount < $1.byteCount }
        guard let heaviest,
            byteCount > budget.byteCount || heaviest.byteCount > budget.partyByteCount,
            let number = heaviest.holdings.max(by: { $0.value < $1.value })?.key
        else { return }
        yielding.insert(number)
    }
}
