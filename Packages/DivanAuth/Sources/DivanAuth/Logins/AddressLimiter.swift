/// Limits connections and failed logins by client address.
///
/// Many people may share one address: behind a proxy, in a family, in a company. So failures delay all unknown
/// clients of an address together, but a name that has logged in from there separately. If the address is exempt,
/// each name is delayed separately (decision 0007; `AddressLoginHistory`).
///
/// Has no clock: times are durations since an origin chosen by the caller. An IPv6 client owns a whole
/// /64, so that counts as one address.
struct AddressLimiter {
    private struct Entry {
        var connectionCount = 0
        var logins = AddressLoginHistory()

        var isEmpty: Bool { connectionCount == 0 && logins.isEmpty }
    }

    private let limits: AuthLimits
    private var entries: [String: Entry] = [:]

    init(limits: AuthLimits) {
        self.limits = limits
    }

    /// The number of remembered addresses.
    var addressCount: Int { entries.count }

    /// Counts a connection or request; unless it is refused, `leave` must be called once.
    mutating func enter(_ client: LoginClient, at now: Duration) -> LoginDecision {
        let key = Self.owner(client)
        let count = entries[key]?.connectionCount ?? 0
        guard client.isExempt || count < limits.addressConnectionCount else { return .refused }
        makeRoom(for: key)
        let decision = admit(client, at: now)
        if decision != .refused { entries[key, default: Entry()].connectionCount += 1 }
        return decision
    }

    /// Decides when a client may log in, without counting a connection.
    mutating func admit(_ client: LoginClient, at now: Duration) -> LoginDecision {
        change(Self.owner(client)) { [limits] in $0.logins.admit(client, at: now, limits) }
    }

    /// Stops counting a connection or request.
    mutating func leave(_ client: LoginClient) {
        let key = Self.owner(client)
        guard entries[key] != nil else { return }
        change(key) { $0.connectionCount -= 1 }
    }

    /// Records a failed login.
    mutating func failed(_ client: LoginClient, at now: Duration) {
        let key = Self.owner(client)
        makeRoom(for: key)
        change(key) { [limits] in $0.logins.fail(client, at: now, limits) }
    }

    /// Records a successful login as `user`.
    mutating func succeeded(_ client: LoginClient, as user: String?) {
        let key = Self.owner(client)
        makeRoom(for: key)
        change(key) { [limits] in $0.logins.succeed(client, as: user, limits) }
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

    /// The address under which this client's failures and connections are counted.
    ///
    /// A program on this machine can choose among sixteen million addresses. If they are shared by many, they
    /// count as one, since the name counts there; otherwise each counts as a client.
    private static func owner(_ client: LoginClient) -> String {
        client.isExempt && client.host.hasPrefix("127.") ? "127.0.0.1" : key(client.host)
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
