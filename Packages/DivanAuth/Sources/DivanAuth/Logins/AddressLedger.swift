/// What a server remembers of the addresses that its clients come from: how many seats
/// each holds, and who failed to log in there how often.
///
/// Behind one address may stand many people: a proxy, a family, a company. So failures delay the
/// strangers of an address together, but a name that has logged in from there by itself; and where
/// the address is exempt, each name by itself (decision 0007).
///
/// Owns no clock: times are distances from an origin of the caller's. An IPv6 client owns a whole
/// /64, so that is what counts as an address there.
struct AddressLedger {
    /// Who asks to come in.
    struct Visitor {
        /// The address as text.
        var host: String
        /// The user name that it gave, true or not.
        var name: String?
        /// Whether its address stands for many, so that the number of connections does not matter.
        var isExempt = false
    }

    private struct Entry {
        var connectionCount = 0
        var strangers = LoginRecord()
        /// By the bytes of the user names: of two spellings of one name only one may be the user's.
        var names: [[UInt8]: LoginRecord] = [:]

        var isEmpty: Bool { connectionCount == 0 && strangers.isEmpty && names.isEmpty }
    }

    private let limits: AuthLimits
    private var entries: [String: Entry] = [:]

    init(limits: AuthLimits) {
        self.limits = limits
    }

    /// How many addresses are remembered.
    var addressCount: Int { entries.count }

    /// Takes a seat for a request; unless it is refused, `leave` gives the seat back.
    mutating func enter(_ visitor: Visitor, at now: Duration) -> LoginDecision {
        let key = Self.key(visitor.host)
        let count = entries[key]?.connectionCount ?? 0
        guard visitor.isExempt || count < limits.addressConnectionCount else { return .refused }
        makeRoom(for: key)
        let decision = admit(visitor, at: now)
        if decision != .refused { entries[key, default: Entry()].connectionCount += 1 }
        return decision
    }

    /// Decides when a visitor may log in, without a seat.
    mutating func admit(_ visitor: Visitor, at now: Duration) -> LoginDecision {
        let key = Self.key(visitor.host)
        var entry = entries[key] ?? Entry()
        defer { entries[key] = entry.isEmpty ? nil : entry }
        return change(&entry, visitor) { $0.admit(at: now, limits) }
    }

    /// Gives a seat back.
    mutating func leave(_ host: String) {
        let key = Self.key(host)
        guard var entry = entries[key] else { return }
        entry.connectionCount -= 1
        entries[key] = entry.isEmpty ? nil : entry
    }

    /// Notes wrong credentials.
    mutating func failed(_ visitor: Visitor, at now: Duration) {
        let key = Self.key(visitor.host)
        makeRoom(for: key)
        change(&entries[key, default: Entry()], visitor) { $0.fail(at: now, limits) }
    }

    /// Notes right credentials.
    mutating func succeeded(_ visitor: Visitor) {
        guard let name = remembered(visitor.name) else { return }
        let key = Self.key(visitor.host)
        makeRoom(for: key)
        var entry = entries[key] ?? Entry()
        guard entry.names[name] != nil || hasRoom(&entry) else { return }
        entry.names[name, default: LoginRecord()].succeed()
        entries[key] = entry
    }

    /// The bytes of a name that may be remembered; one that is too long counts as none.
    private func remembered(_ name: String?) -> [UInt8]? {
        guard let name, name.utf8.count <= limits.rememberedNameByteCount else { return nil }
        return Array(name.utf8)
    }

    /// Runs `body` on the record that counts for a visitor.
    @discardableResult
    private func change<Result>(
        _ entry: inout Entry,
        _ visitor: Visitor,
        _ body: (inout LoginRecord) -> Result
    ) -> Result {
        guard let name = remembered(visitor.name) else {
            return body(&entry.strangers)
        }
        let known = entry.names[name]
        guard visitor.isExempt || known?.hasSucceeded == true else {
            return body(&entry.strangers)
        }
        guard known != nil || hasRoom(&entry) else { return body(&entry.strangers) }
        var record = known ?? LoginRecord()
        defer { entry.names[name] = record.isEmpty ? nil : record }
        return body(&record)
    }

    /// Makes room for one more name: those that only failed go, those that logged in stay.
    private func hasRoom(_ entry: inout Entry) -> Bool {
        guard entry.names.count >= limits.rememberedNameCount else { return true }
        entry.names = entry.names.filter { $0.value.hasSucceeded }
        return entry.names.count < limits.rememberedNameCount
    }

    /// Whoever comes from that many addresses has no need to guess from one: their failures are
    /// forgotten, all at once, so that making room costs little.
    private mutating func makeRoom(for key: String) {
        guard entries[key] == nil, entries.count >= limits.rememberedAddressCount else { return }
        entries = entries.filter { $0.value.connectionCount > 0 }
    }

    /// An IPv4 address as it is; of an IPv6 address the first 64 bits.
    static func key(_ host: String) -> String {
        guard host.utf8.contains(UInt8(ascii: ":")) else { return host }
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
