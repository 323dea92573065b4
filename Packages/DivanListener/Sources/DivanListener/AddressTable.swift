import Synchronization

/// The ledger of addresses, shared by all connections of a listener.
final class AddressTable: Sendable {
    private let ledger: Mutex<AddressLedger>
    private let sparesLoopback: Bool

    init(limits: ListenerLimits) {
        ledger = Mutex(AddressLedger(limits: limits))
        sparesLoopback = limits.sparesLoopback
    }

    /// Decides about a request; a seat comes with every answer but a refusal.
    func enter(
        _ host: String,
        isLoopback: Bool,
        at now: Duration
    ) -> (decision: AddressLedger.Decision, seat: AddressSeat?) {
        let decision = ledger.withLock {
            $0.enter(host, isExempt: isLoopback && sparesLoopback, at: now)
        }
        return (decision, decision == .refused ? nil : AddressSeat(table: self, host: host))
    }

    /// Notes wrong credentials.
    func failed(_ host: String, at now: Duration) {
        ledger.withLock { $0.failed(host, at: now) }
    }

    fileprivate func leave(_ host: String) {
        ledger.withLock { $0.leave(host) }
    }
}

/// One connection's place among those of its address; it is free again with the last reference.
final class AddressSeat: Sendable {
    private let table: AddressTable
    private let host: String

    fileprivate init(table: AddressTable, host: String) {
        self.table = table
        self.host = host
    }

    deinit {
        table.leave(host)
    }
}
