import Synchronization

/// The ledger of addresses, shared by all connections of a listener.
final class AddressTable: Sendable {
    fileprivate let ledger: Mutex<AddressLedger>
    private let sparesLoopback: Bool

    init(limits: ListenerLimits) {
        ledger = Mutex(AddressLedger(limits: limits))
        sparesLoopback = limits.sparesLoopback
    }

    /// Who asks, in the terms of the ledger.
    func visitor(_ host: String, isLoopback: Bool, name: String?) -> AddressLedger.Visitor {
        AddressLedger.Visitor(host: host, name: name, isExempt: isLoopback && sparesLoopback)
    }

    /// Decides about a request; a seat comes with every answer but a refusal.
    func enter(
        _ visitor: AddressLedger.Visitor,
        at now: Duration
    ) -> (decision: LoginDecision, seat: AddressSeat?) {
        let decision = ledger.withLock { $0.enter(visitor, at: now) }
        return (decision, decision == .refused ? nil : AddressSeat(table: self, visitor: visitor))
    }

    fileprivate func leave(_ host: String) {
        ledger.withLock { $0.leave(host) }
    }
}

/// One connection's place among those of its address; it is free again with the last reference.
final class AddressSeat: Sendable {
    private let table: AddressTable
    private let visitor: AddressLedger.Visitor

    fileprivate init(table: AddressTable, visitor: AddressLedger.Visitor) {
        self.table = table
        self.visitor = visitor
    }

    deinit {
        table.leave(visitor.host)
    }

    /// Decides when it may log in, as those before it have left things.
    func admit(at now: Duration) -> LoginDecision {
        table.ledger.withLock { $0.admit(visitor, at: now) }
    }

    /// Notes that it came with wrong credentials.
    func failed(at now: Duration) {
        table.ledger.withLock { $0.failed(visitor, at: now) }
    }

    /// Notes that it came with right credentials.
    func succeeded() {
        table.ledger.withLock { $0.succeeded(visitor) }
    }
}
