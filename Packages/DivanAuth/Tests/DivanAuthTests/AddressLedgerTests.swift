import Testing

@testable import DivanAuth

/// Who has to wait and who is refused; by virtual time, so the ledger itself is asked.
@Suite struct AddressLedgerTests {
    private func ledger(_ change: (inout AuthLimits) -> Void = { _ in }) -> AddressLedger {
        var limits = AuthLimits()
        limits.addressConnectionCount = 3
        limits.freeLoginFailureCount = 2
        change(&limits)
        return AddressLedger(limits: limits)
    }

    private func visitor(
        _ host: String,
        _ name: String? = nil,
        isExempt: Bool = false
    ) -> AddressLedger.Visitor {
        AddressLedger.Visitor(host: host, name: name, isExempt: isExempt)
    }

    @Test func `an address has so many seats, and gets them back`() {
        var ledger = ledger()
        for _ in 0..<3 { #expect(ledger.enter(visitor("1.2.3.4"), at: .zero) == .now) }
        #expect(ledger.enter(visitor("1.2.3.4"), at: .zero) == .refused)
        #expect(ledger.enter(visitor("1.2.3.5"), at: .zero) == .now)
        #expect(ledger.enter(visitor("1.2.3.4", isExempt: true), at: .zero) == .now)
        for _ in 0..<2 { ledger.leave("1.2.3.4") }
        #expect(ledger.enter(visitor("1.2.3.4"), at: .zero) == .now)
    }

    @Test(arguments: [
        ("2001:db8:1:2::5", "2001:db8:1:2:ffff::1", true),
        ("2001:db8:1:2::5", "2001:db8:1:3::5", false), ("fe80::1%eth0", "fe80::2", true),
        ("::1", "::2", true), ("::1", "1::", false), ("10.0.0.1", "10.0.0.2", false),
    ])
    func `an IPv6 client is its network`(first: String, second: String, isSame: Bool) {
        var ledger = ledger()
        for _ in 0..<3 { _ = ledger.enter(visitor(first), at: .zero) }
        let decision = ledger.enter(visitor(second), at: .zero)
        #expect((decision == .refused) == isSame)
    }

    @Test func `wrong passwords make the next attempts wait, longer each time`() {
        var ledger = ledger()
        func attempt(at now: Duration) -> LoginDecision {
            defer { ledger.leave("a") }
            return ledger.enter(visitor("a"), at: now)
        }
        ledger.failed(visitor("a"), at: .zero)
        #expect(attempt(at: .zero) == .now)
        ledger.failed(visitor("a"), at: .zero)
        #expect(attempt(at: .zero) == .after(.milliseconds(250)))
        #expect(attempt(at: .zero) == .after(.milliseconds(500)), "behind the one before")
        for _ in 0..<20 { ledger.failed(visitor("a"), at: .seconds(1)) }
        #expect(attempt(at: .seconds(1)) == .after(.zero))
        #expect(attempt(at: .seconds(1)) == .after(.seconds(8)))
        #expect(attempt(at: .seconds(1)) == .refused)
        #expect(attempt(at: .seconds(9)) == .after(.seconds(8)))
        #expect(ledger.enter(visitor("b"), at: .seconds(9)) == .now)
        #expect(attempt(at: .seconds(700)) == .now, "forgotten after ten minutes")
    }

    @Test func `a name that looks like a known one is a stranger`() {
        var ledger = ledger()
        ledger.succeeded(visitor("a", "\u{C5}sa"))
        for _ in 0..<2 { ledger.failed(visitor("a"), at: .zero) }
        #expect(attempt(&ledger, visitor("a", "\u{C5}sa")) == .now)
        #expect(attempt(&ledger, visitor("a", "A\u{30A}sa")) == .after(.milliseconds(250)))
    }

    @Test func `it remembers only so many addresses`() {
        var ledger = ledger { $0.rememberedAddressCount = 100 }
        _ = ledger.enter(visitor("stays"), at: .zero)
        for number in 0..<1_000 { ledger.failed(visitor("10.0.0.\(number)"), at: .zero) }
        #expect(ledger.addressCount <= 101)
        for _ in 0..<2 { #expect(ledger.enter(visitor("stays"), at: .zero) == .now) }
        #expect(ledger.enter(visitor("stays"), at: .zero) == .refused)
        for _ in 0..<3 { ledger.leave("stays") }
        ledger.leave("never came")
    }

    /// What becomes of one attempt that is over at once.
    private func attempt(
        _ ledger: inout AddressLedger,
        _ visitor: AddressLedger.Visitor
    ) -> LoginDecision {
        defer { ledger.leave(visitor.host) }
        return ledger.enter(visitor, at: .zero)
    }

    @Test func `who has logged in before does not wait for the guesses of a neighbour`() {
        var ledger = ledger()
        ledger.succeeded(visitor("10.0.0.1", "ada"))
        for number in 0..<20 { ledger.failed(visitor("10.0.0.1", "guess-\(number)"), at: .zero) }
        for _ in 0..<3 { #expect(attempt(&ledger, visitor("10.0.0.1", "ada")) == .now) }
        #expect(attempt(&ledger, visitor("10.0.0.1", "grace")) != .now, "a stranger waits")
        #expect(attempt(&ledger, visitor("10.0.0.1")) != .now, "so does who gives no name")
        for _ in 0..<2 { ledger.failed(visitor("10.0.0.1", "ada"), at: .zero) }
        #expect(attempt(&ledger, visitor("10.0.0.1", "ada")) != .now, "for its own guesses")
    }

    @Test func `behind a proxy on this machine each name waits for itself`() {
        var ledger = ledger()
        func proxied(_ name: String) -> AddressLedger.Visitor {
            visitor("127.0.0.1", name, isExempt: true)
        }
        for _ in 0..<20 { ledger.failed(proxied("mallory"), at: .zero) }
        #expect(attempt(&ledger, proxied("mallory")) == .after(.milliseconds(250)))
        for _ in 0..<3 { #expect(attempt(&ledger, proxied("ada")) == .now) }
    }

    @Test func `it remembers only so many names, and those that logged in longest`() {
        var ledger = ledger { $0.rememberedNameCount = 10 }
        func proxied(_ name: String) -> AddressLedger.Visitor {
            visitor("127.0.0.1", name, isExempt: true)
        }
        for number in 0..<9 { ledger.succeeded(proxied("known-\(number)")) }
        for number in 0..<100 {
            for _ in 0..<2 { ledger.failed(proxied("guess-\(number)"), at: .zero) }
        }
        ledger.succeeded(proxied("known-9"))
        ledger.succeeded(proxied("one too many"))
        for _ in 0..<2 { ledger.failed(proxied("guess"), at: .zero) }
        #expect(attempt(&ledger, proxied("one too many")) != .now, "with the strangers")
        for number in 0..<10 { #expect(attempt(&ledger, proxied("known-\(number)")) == .now) }
    }
}
