/// What a server remembers about the addresses of its clients: how many seats
/// each has, and who failed to log in from there how often.
///
/// Many people may share one address: behind a proxy, in a family, in a company. So failures delay the
/// strangers of an address together, but a name that has logged in from there separately; and if
/// the address is exempt, each name separately (decision 0007; `AddressLogins`).
///
/// Has no clock: times are durations since an origin chosen by the caller. An IPv6 client owns a whole
/// /64, so that counts as one address.
struct AddressLedger {
    private struct Entry {
        var connectionCount = 0
        var logins = AddressLogins()

        var isEmpty: Bool { connectionCount == 0 && logins.isEmpty }
    }

    private let limits: AuthLimits
    private var entries: [String: Entry] = [:]

    init(limits: AuthLimits) {
        self.limits = limits
    }

    /// The number of remembered addresses.
    var addressCount: Int { entries.count }

    /// Takes a seat for a request; unless it is refused, `leave` returns the seat.
    mutating func enter(_ visitor: LoginClient, at now: Duration) -> LoginDecision {
        let key = Self.owner(visitor)
        let count = entries[key]?.connectionCount ?? 0
        guard visitor.isExempt || count < limits.addressConnectionCount else { return .refused }
        makeRoom(for: key)
        let decision = admit(visitor, at: now)
        if decision != .refused { entries[key, default: Entry()].connectionCount += 1 }
        return decision
    }

    /// Decides when a visitor may log in, without a seat.
    mutating func admit(_ visitor: LoginClient, at now: Duration) -> LoginDecision {
        change(Self.owner(visitor)) { [limits] in $0.logins.admit(visitor, at: now, limits) }
    }

    /// Returns a seat.
    mutating func leave(_ visitor: LoginClient) {
        let key = Self.owner(visitor)
        guard entries[key] != nil else { return }
        change(key) { $0.connectionCount -= 1 }
    }

    /// Records a failed login.
    mutating func failed(_ visitor: LoginClient, at now: Duration) {
        let key = Self.owner(visitor)
        makeRoom(for: key)
        change(key) { [limits] in $0.logins.fail(visitor, at: now, limits) }
    }

    /// Records a successful login as `user`.
    mutating func succeeded(_ visitor: LoginClient, as user: String?) {
        let key = Self.owner(visitor)
        makeRoom(for: key)
        change(key) { [limits] in $0.logins.succeed(visitor, as: user, limits) }
    }

    /// Changes an entry in place, as it may be large, and removes one with nothing to remember.
    private mutating func change<Result>(
        _ key: String,
        _ body: (inout Entry) -> Result
    ) -> Result {
        let result = body(&entries[key, default: Entry()])
        if entries[key]?.isEmpty == true { entries[key] = nil }
        return result
    }

    /// An attacker with that many addresses need not guess from one: the failures of all are
    /// forgotten at once, so that making room costs little.
    private mutating func makeRoom(for key: String) {
        guard entries[key] == nil, entries.count >= limits.rememberedAddressCount else { return }
        entries = entries.filter { $0.value.connectionCount > 0 }
    }

    /// Whose failures and connections count together with this visitor's.
    ///
    /// A program on this machine can choose among sixteen million addresses. If they are shared by many, they
    /// count as one, since the name counts there; otherwise each counts as a client.
    private static func owner(_ visitor: LoginClient) -> String {
        visitor.isExempt && visitor.host.hasPrefix("127.") ? "127.0.0.1" : key(visitor.host)
    }

    /// An IPv4 address unchanged; of an IPv6 address the first 64 bits.
    static func key(_ host: String) -> String {
        guard host.utf8.contains(UInt8(ascii: ":")) else { return host }
        let withoutZone = host.prefix { $0 != "%" }
        let parts = withoutZone.split(separator: ":", omittingEmptySubsequences: false)
        var groups = parts.prefix { !$0.isEmpty }
        if groups.count < parts.count, groups.count < 4 {
            // Zeros that "::" represents.
            let tail = parts.drop { !$0.isEmpty }.filter { !$0.isEmpty }
            let zeroCount = max(0, 8 - groups.count - tail.count)
            groups += Array(repeating: "0", count: zeroCount)
            groups += tail[...]
        }
        return groups.prefix(4).joined(separator: ":") + "::"
    }
}
