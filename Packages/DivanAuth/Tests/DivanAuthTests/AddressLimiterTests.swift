import Testing

@testable import DivanAuth

/// Which clients must wait or are refused; in virtual time, so the limiter itself is called.
@Suite struct AddressLimiterTests {
    private func limiter(_ change: (inout AuthLimits) -> Void = { _ in }) -> AddressLimiter {
        var limits = AuthLimits()
        limits.addressConnectionCount = 3
        limits.freeLoginFailureCount = 2
        change(&limits)
        return AddressLimiter(limits: limits)
    }

    private func client(
        _ host: String,
        _ name: String? = nil,
        isExempt: Bool = false
    ) -> LoginClient {
        LoginClient(host: host, name: name, isExempt: isExempt)
    }

    @Test func `the number of concurrent logins per address is limited`() {
        var limiter = limiter()
        for _ in 0..<3 { #expect(limiter.enter(client("1.2.3.4"), at: .zero) == .now) }
        #expect(limiter.enter(client("1.2.3.4"), at: .zero) == .refused)
        #expect(limiter.enter(client("1.2.3.5"), at: .zero) == .now)
        #expect(limiter.enter(client("1.2.3.4", isExempt: true), at: .zero) == .now)
        for _ in 0..<2 { limiter.leave(client("1.2.3.4")) }
        #expect(limiter.enter(client("1.2.3.4"), at: .zero) == .now)
    }

    @Test(arguments: [
        ("2001:db8:1:2::5", "2001:db8:1:2:ffff::1", true),
        ("2001:db8:1:2::5", "2001:db8:1:3::5", false), ("fe80::1%eth0", "fe80::2", true),
        ("::1", "::2", true), ("::1", "1::", false), ("10.0.0.1", "10.0.0.2", false),
    ])
    func `IPv6 clients are counted by network`(first: String, second: String, isSame: Bool) {
        var limiter = limiter()
        for _ in 0..<3 { _ = limiter.enter(client(first), at: .zero) }
        let decision = limiter.enter(client(second), at: .zero)
        #expect((decision == .refused) == isSame)
    }

    @Test func `wrong passwords delay the next attempts, longer each time`() {
        var limiter = limiter()
        func attempt(at now: Duration) -> LoginDecision {
            defer { limiter.leave(client("a")) }
            return limiter.enter(client("a"), at: now)
        }
        limiter.failed(client("a"), at: .zero)
        #expect(attempt(at: .zero) == .now)
        limiter.failed(client("a"), at: .zero)
        #expect(attempt(at: .zero) == .after(.milliseconds(250)))
        #expect(attempt(at: .zero) == .after(.milliseconds(500)), "after the previous attempt")
        for _ in 0..<20 { limiter.failed(client("a"), at: .seconds(1)) }
        #expect(attempt(at: .seconds(1)) == .after(.zero))
        #expect(attempt(at: .seconds(1)) == .after(.seconds(8)))
        #expect(attempt(at: .seconds(1)) == .refused)
        #expect(attempt(at: .seconds(9)) == .after(.seconds(8)))
        #expect(limiter.enter(client("b"), at: .seconds(9)) == .now)
        #expect(attempt(at: .seconds(700)) == .now, "forgotten after ten minutes")
    }

    @Test func `a name that only looks like a known one is unknown`() {
        var limiter = limiter()
        limiter.succeeded(client("a", "\u{C5}sa"), as: "\u{C5}sa")
        for _ in 0..<2 { limiter.failed(client("a"), at: .zero) }
        #expect(attempt(&limiter, client("a", "\u{C5}sa")) == .now)
        #expect(attempt(&limiter, client("a", "A\u{30A}sa")) == .after(.milliseconds(250)))
    }

    @Test func `the number of remembered addresses is limited`() {
        var limiter = limiter { $0.rememberedAddressCount = 100 }
        _ = limiter.enter(client("stays"), at: .zero)
        for number in 0..<1_000 { limiter.failed(client("10.0.0.\(number)"), at: .zero) }
        #expect(limiter.addressCount <= 101)
        for _ in 0..<2 { #expect(limiter.enter(client("stays"), at: .zero) == .now) }
        #expect(limiter.enter(client("stays"), at: .zero) == .refused)
        for _ in 0..<3 { limiter.leave(client("stays")) }
        limiter.leave(client("never came"))
    }

    /// The decision about an attempt that ends at once.
    private func attempt(
        _ limiter: inout AddressLimiter,
        _ client: LoginClient
    ) -> LoginDecision {
        defer { limiter.leave(client) }
        return limiter.enter(client, at: .zero)
    }

    @Test func `a user who has logged in before is not delayed by guesses from the same address`() {
        var limiter = limiter()
        limiter.succeeded(client("10.0.0.1", "ada"), as: "ada")
        for number in 0..<20 { limiter.failed(client("10.0.0.1", "guess-\(number)"), at: .zero) }
        for _ in 0..<3 { #expect(attempt(&limiter, client("10.0.0.1", "ada")) == .now) }
        #expect(attempt(&limiter, client("10.0.0.1", "grace")) != .now, "a stranger waits")
        #expect(attempt(&limiter, client("10.0.0.1")) != .now, "so does who gives no name")
        for _ in 0..<2 { limiter.failed(client("10.0.0.1", "ada"), at: .zero) }
        #expect(attempt(&limiter, client("10.0.0.1", "ada")) != .now, "for its own guesses")
    }

    @Test func `behind a local proxy each name is delayed separately`() {
        var limiter = limiter()
        func proxied(_ name: String) -> LoginClient {
            client("127.0.0.1", name, isExempt: true)
        }
        for _ in 0..<20 { limiter.failed(proxied("mallory"), at: .zero) }
        #expect(attempt(&limiter, proxied("mallory")) == .after(.milliseconds(250)))
        for _ in 0..<3 { #expect(attempt(&limiter, proxied("ada")) == .now) }
    }

    @Test func `the number of remembered names is limited, and successful logins are kept`() {
        var limiter = limiter {
            $0.rememberedNameCount = 10
            $0.nameGroupCount = 1
        }
        for number in 0..<9 { succeed(&limiter, "known-\(number)") }
        for number in 0..<100 {
            for _ in 0..<2 { limiter.failed(proxied("guess-\(number)"), at: .zero) }
        }
        succeed(&limiter, "known-9")
        succeed(&limiter, "one too many")
        for _ in 0..<2 { limiter.failed(proxied("guess"), at: .zero) }
        #expect(attempt(&limiter, proxied("one too many")) != .now, "with its group")
        for number in 0..<10 { #expect(attempt(&limiter, proxied("known-\(number)")) == .now) }
    }

    private func proxied(_ name: String, from host: String = "127.0.0.1") -> LoginClient {
        client(host, name, isExempt: true)
    }

    private func succeed(_ limiter: inout AddressLimiter, _ name: String) {
        limiter.succeeded(proxied(name), as: name)
    }

    /// The first name is remembered separately, the last with its group.
    @Test(arguments: ["ada", "zoe"])
    func `made-up names do not reset the delay of another name`(victim: String) {
        var limiter = limiter { $0.rememberedNameCount = 10 }
        if victim == "zoe" {
            for number in 0..<20 { limiter.failed(proxied("earlier-\(number)"), at: .zero) }
        }
        for _ in 0..<2 { limiter.failed(proxied(victim), at: .zero) }
        for number in 0..<1_000 { limiter.failed(proxied("made-up-\(number)"), at: .seconds(1)) }
        for number in 0..<20 { succeed(&limiter, "known-\(number)") }
        // Made-up names may be in the same hash group, which then waits longer.
        #expect(limiter.admit(proxied(victim), at: .seconds(2)) != .now)
        #expect(limiter.admit(proxied(victim), at: .seconds(2)) != .now)
        #expect(limiter.admit(proxied(victim), at: .seconds(700)) == .now, "its time is over")
    }

    @Test func `a name counted with its group keeps its failures when there is room again`() {
        var limiter = limiter { $0.rememberedNameCount = 1 }
        limiter.failed(proxied("first"), at: .zero)
        for _ in 0..<2 { limiter.failed(proxied("second"), at: .seconds(500)) }
        // The only place is free again.
        #expect(limiter.admit(proxied("first"), at: .seconds(601)) == .now)
        #expect(limiter.admit(proxied("second"), at: .seconds(601)) != .now)
    }

    @Test func `loopback addresses count as one behind a local proxy, and separately otherwise`() {
        var limiter = limiter()
        for number in 1...2 {
            limiter.failed(proxied("ada", from: "127.0.0.\(number)"), at: .zero)
            limiter.failed(client("127.0.1.1", "ada"), at: .zero)
        }
        #expect(attempt(&limiter, proxied("ada", from: "127.9.9.9")) != .now)
        #expect(attempt(&limiter, client("127.0.1.1", "ada")) != .now)
        #expect(attempt(&limiter, client("127.0.1.2", "ada")) == .now)
    }

    @Test(arguments: [true, false])
    func `a token that was accepted before is not delayed by guesses from the same address`(
        isExempt: Bool
    ) {
        var limiter = limiter { $0.rememberedNameCount = 3 }
        func showing(_ token: UInt8) -> LoginClient {
            .init(host: "10.0.0.1", token: [token], isExempt: isExempt)
        }
        for token in UInt8(1)...4 { limiter.succeeded(showing(token), as: nil) }
        for token in UInt8(10)...30 { limiter.failed(showing(token), at: .zero) }
        #expect(attempt(&limiter, showing(31)) != .now, "a guess waits for those before")
        #expect(attempt(&limiter, showing(1)) != .now, "the oldest is forgotten")
        for token in UInt8(2)...4 { #expect(attempt(&limiter, showing(token)) == .now) }
        limiter.failed(showing(2), at: .zero)
        #expect(attempt(&limiter, showing(2)) != .now, "no further attempts are allowed")
    }

    @Test(arguments: [true, false])
    func `a logged-in user is not delayed by others, whatever headers a proxy adds`(isExempt: Bool)
    {
        var limiter = limiter()
        var number: UInt8 = 0
        func asking(as name: String) -> LoginClient {
            number += 1
            return .init(host: "10.0.0.1", name: name, token: [number], isExempt: isExempt)
        }
        limiter.succeeded(asking(as: "ada"), as: "ada")
        limiter.succeeded(asking(as: "made up"), as: "who came by cookie")
        for _ in 0..<20 { limiter.failed(asking(as: "guess-\(number)"), at: .zero) }
        for _ in 0..<3 { #expect(attempt(&limiter, asking(as: "ada")) == .now) }
        #expect(attempt(&limiter, asking(as: "made up")) != .now)
        #expect(attempt(&limiter, asking(as: "another")) != .now)
    }
}
