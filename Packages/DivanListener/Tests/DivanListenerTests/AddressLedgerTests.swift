import Testing

@testable import DivanListener

/// Who has to wait and who is refused; by virtual time, so the ledger itself is asked.
@Suite struct AddressLedgerTests {
    private func ledger(_ change: (inout ListenerLimits) -> Void = { _ in }) -> AddressLedger {
        var limits = ListenerLimits()
        limits.addressConnectionCount = 3
        limits.freeLoginFailureCount = 2
        change(&limits)
        return AddressLedger(limits: limits)
    }

    @Test func `an address has so many seats, and gets them back`() {
        var ledger = ledger()
        for _ in 0..<3 { #expect(ledger.enter("1.2.3.4", isExempt: false, at: .zero) == .now) }
        #expect(ledger.enter("1.2.3.4", isExempt: false, at: .zero) == .refused)
        #expect(ledger.enter("1.2.3.5", isExempt: false, at: .zero) == .now)
        #expect(ledger.enter("1.2.3.4", isExempt: true, at: .zero) == .now)
        for _ in 0..<2 { ledger.leave("1.2.3.4") }
        #expect(ledger.enter("1.2.3.4", isExempt: false, at: .zero) == .now)
    }

    @Test(arguments: [
        ("2001:db8:1:2::5", "2001:db8:1:2:ffff::1", true),
        ("2001:db8:1:2::5", "2001:db8:1:3::5", false), ("fe80::1%eth0", "fe80::2", true),
        ("::1", "::2", true), ("::1", "1::", false), ("10.0.0.1", "10.0.0.2", false),
    ])
    func `an IPv6 client is its network`(first: String, second: String, isSame: Bool) {
        var ledger = ledger()
        for _ in 0..<3 { _ = ledger.enter(first, isExempt: false, at: .zero) }
        let decision = ledger.enter(second, isExempt: false, at: .zero)
        #expect((decision == .refused) == isSame)
    }

    @Test func `wrong passwords make the next attempts wait, longer each time`() {
        var ledger = ledger()
        func attempt(at now: Duration) -> AddressLedger.Decision {
            defer { ledger.leave("a") }
            return ledger.enter("a", isExempt: false, at: now)
        }
        ledger.failed("a", at: .zero)
        #expect(attempt(at: .zero) == .now)
        ledger.failed("a", at: .zero)
        #expect(attempt(at: .zero) == .after(.milliseconds(250)))
        #expect(attempt(at: .zero) == .after(.milliseconds(500)), "behind the one before")
        for _ in 0..<20 { ledger.failed("a", at: .seconds(1)) }
        #expect(attempt(at: .seconds(1)) == .now)
        #expect(attempt(at: .seconds(1)) == .after(.seconds(8)))
        #expect(attempt(at: .seconds(1)) == .refused)
        #expect(attempt(at: .seconds(9)) == .after(.seconds(8)))
        #expect(ledger.enter("b", isExempt: false, at: .seconds(9)) == .now)
        #expect(attempt(at: .seconds(700)) == .now, "forgotten after ten minutes")
    }

    @Test func `it remembers only so many addresses`() {
        var ledger = ledger { $0.rememberedAddressCount = 100 }
        _ = ledger.enter("stays", isExempt: false, at: .zero)
        for number in 0..<1_000 { ledger.failed("10.0.0.\(number)", at: .zero) }
        #expect(ledger.addressCount <= 101)
        for _ in 0..<2 { #expect(ledger.enter("stays", isExempt: false, at: .zero) == .now) }
        #expect(ledger.enter("stays", isExempt: false, at: .zero) == .refused)
        for _ in 0..<3 { ledger.leave("stays") }
        ledger.leave("never came")
    }
}
