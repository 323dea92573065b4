/// What a listener remembers of the addresses that its clients come from: how many connections
/// each holds, and how often one failed to log in.
///
/// Owns no clock: times are distances from an origin of the caller's. An IPv6 client owns a whole
/// /64, so that is what counts as an address there.
///
/// Source: `reliability.md` §6 (10: back-off per address).
struct AddressLedger {
    /// What becomes of a request.
    enum Decision: Equatable {
        /// It may log in now.
        case now
        /// It may log in then; others of its address that come later wait behind it.
        case after(Duration)
        /// Its address has too many connections, or too many attempts that wait.
        case refused
    }

    private struct Entry {
        var connectionCount = 0
        var failureCount = 0
        var lastFailure: Duration = .zero
        /// Before this time, no further attempt; it moves on with each one that waits.
        var nextAttempt: Duration = .zero
    }

    /// The delay of the first attempt that has to wait; it doubles with each failure from there on.
    static let firstDelay = Duration.milliseconds(250)

    private let limits: ListenerLimits
    private var entries: [String: Entry] = [:]

    init(limits: ListenerLimits) {
        self.limits = limits
    }

    /// How many addresses are remembered.
    var addressCount: Int { entries.count }

    /// Takes a seat for a request; unless it is refused, `leave` gives the seat back.
    ///
    /// The number of connections does not matter for an address that is exempt.
    mutating func enter(_ host: String, isExempt: Bool, at now: Duration) -> Decision {
        let key = Self.key(host)
        var entry = entries[key] ?? Entry()
        if entry.failureCount > 0, now - entry.lastFailure > limits.loginMemory {
            entry.failureCount = 0
        }
        guard isExempt || entry.connectionCount < limits.addressConnectionCount else {
            return .refused
        }
        let wait = max(.zero, entry.nextAttempt - now)
        if entry.failureCount >= limits.freeLoginFailureCount {
            guard wait <= limits.longestLoginDelay else { return .refused }
            entry.nextAttempt = max(entry.nextAttempt, now) + delay(after: entry.failureCount)
        }
        entry.connectionCount += 1
        makeRoom(for: key)
        entries[key] = entry
        return entry.failureCount >= limits.freeLoginFailureCount && wait > .zero
            ? .after(wait) : .now
    }

    /// Gives a seat back.
    mutating func leave(_ host: String) {
        let key = Self.key(host)
        guard var entry = entries[key] else { return }
        entry.connectionCount -= 1
        entries[key] = entry.connectionCount > 0 || entry.failureCount > 0 ? entry : nil
    }

    /// Notes wrong credentials.
    mutating func failed(_ host: String, at now: Duration) {
        let key = Self.key(host)
        makeRoom(for: key)
        var entry = entries[key] ?? Entry()
        entry.failureCount += 1
        entry.lastFailure = now
        if entry.failureCount == limits.freeLoginFailureCount {
            entry.nextAttempt = now + delay(after: entry.failureCount)
        }
        entries[key] = entry
    }

    private func delay(after failureCount: Int) -> Duration {
        let doublings = min(max(0, failureCount - limits.freeLoginFailureCount), 10)
        return min(Self.firstDelay * (1 << doublings), limits.longestLoginDelay)
    }

    /// Whoever comes from that many addresses has no need to guess from one: their failures are
    /// forgotten, all at once, so that making room costs little.
    private mutating func makeRoom(for key: String) {
        guard entries[key] == nil, entries.count >= limits.rememberedAddressCount else { return }
        entries = entries.filter { $0.value.connectionCount > 0 }
    }

    /// An IPv4 address as it is; of an IPv6 address the first 64 bits.
    private static func key(_ host: String) -> String {
        guard host.contains(":") else { return host }
        let withoutZone = host.prefix { $0 != "%" }
        let parts = withoutZone.split(separator: ":", omittingEmptySubsequences: false)
        var groups = parts.prefix { !$0.isEmpty }
        if groups.count < parts.count, groups.count < 4 {
            // Zeros that "::" stands for.
            let tail = parts.drop { !$0.isEmpty }.filter { !$0.isEmpty }
            let zeroCount = max(0, 8 - groups.count - tail.count)
            groups += Array(repeating: "0", count: zeroCount)
            groups += tail[...]
        }
        return groups.prefix(4).joined(separator: ":") + "::"
    }
}
