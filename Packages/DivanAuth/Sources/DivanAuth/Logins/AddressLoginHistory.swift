/// The failed and successful logins from one address.
///
/// Nothing that a client makes up gives it fresh guesses at another's password: a name that failed is
/// remembered separately, or with its hash group, until its time is over. Made-up names fill groups, which
/// delays every name in them, but never empty one.
struct AddressLoginHistory {
    /// The record of clients without a name and, if names do not count separately, of all that
    /// have not logged in before.
    private var unknownClients = LoginRecord()
    /// By the bytes of the user names: of two spellings of one name only one may be the user's.
    private var names: [[UInt8]: LoginRecord] = [:]
    /// The records of names that are not remembered separately; empty until there are any.
    private var groups: [LoginRecord] = []
    /// Digests of credentials besides name and password that were accepted, the latest last.
    private var tokens: [[UInt8]] = []

    /// Whether there is something to remember.
    var isEmpty: Bool {
        unknownClients.isEmpty && names.isEmpty && groups.isEmpty && tokens.isEmpty
    }

    /// Decides when a client may log in.
    mutating func admit(
        _ client: LoginClient,
        at now: Duration,
        _ limits: AuthLimits
    ) -> LoginDecision {
        if let token = client.token, tokens.contains(token) { return .now }
        return change(client, at: now, limits) { $0.admit(at: now, limits) }
    }

    /// Records a failed login.
    mutating func fail(
        _ client: LoginClient,
        at now: Duration,
        _ limits: AuthLimits
    ) {
        // It is no longer accepted.
        if let token = client.token { tokens.removeAll { $0 == token } }
        change(client, at: now, limits) { $0.fail(at: now, limits) }
    }

    /// Records a successful login as `user`.
    mutating func succeed(_ client: LoginClient, as user: String?, _ limits: AuthLimits) {
        if let token = client.token {
            tokens.removeAll { $0 == token }
            tokens.append(token)
            if tokens.count > limits.rememberedNameCount { tokens.removeFirst() }
        }
        guard let name = limits.remembered(client.name) else { return }
        // The other credentials may have been accepted, and the name be made up.
        guard client.token == nil || user.map({ Array($0.utf8) }) == name else { return }
        if names[name] == nil, names.count >= limits.rememberedNameCount {
            guard moveOneToItsGroup(limits) else { return }
        }
        names[name, default: LoginRecord()].succeed()
    }

    /// Runs `body` on the record that applies to a client.
    @discardableResult
    private mutating func change<Result>(
        _ client: LoginClient,
        at now: Duration,
        _ limits: AuthLimits,
        _ body: (inout LoginRecord) -> Result
    ) -> Result {
        guard let name = limits.remembered(client.name) else { return body(&unknownClients) }
        let known = names[name]
        let countsByItself = client.isExempt && client.token == nil
        guard countsByItself || known?.hasSucceeded == true else { return body(&unknownClients) }
        let group = group(of: name, limits)
        // A name whose failures are in its group stays there; otherwise it would start from zero.
        guard known != nil || (isQuiet(group, at: now, limits) && hasRoom(at: now, limits)) else {
            if groups.isEmpty { groups = Array(repeating: LoginRecord(), count: limits.groupCount) }
            return body(&groups[group])
        }
        var record = known ?? LoginRecord()
        defer { names[name] = record.isEmpty ? nil : record }
        return body(&record)
    }

    /// Whether one more name can be remembered separately; removes those whose time is over.
    private mutating func hasRoom(at now: Duration, _ limits: AuthLimits) -> Bool {
        guard names.count >= limits.rememberedNameCount else { return true }
        let isStale = { (record: LoginRecord) in
            !record.hasSucceeded && record.isOver(at: now, limits)
        }
        guard names.values.contains(where: isStale) else { return false }
        names = names.filter { !isStale($0.value) }
        return true
    }

    /// Makes room for a name that has logged in: one that only failed moves to its group.
    private mutating func moveOneToItsGroup(_ limits: AuthLimits) -> Bool {
        guard let (name, record) = names.first(where: { !$0.value.hasSucceeded }) else {
            return false
        }
        if groups.isEmpty { groups = Array(repeating: LoginRecord(), count: limits.groupCount) }
        groups[group(of: name, limits)].join(record)
        names[name] = nil
        return true
    }

    private func isQuiet(_ group: Int, at now: Duration, _ limits: AuthLimits) -> Bool {
        groups.isEmpty || groups[group].isOver(at: now, limits)
    }

    /// The hash seed is a secret of this process, so an attacker cannot search for names of one group.
    private func group(of name: [UInt8], _ limits: AuthLimits) -> Int {
        Int(UInt(bitPattern: name.hashValue) % UInt(limits.groupCount))
    }
}

extension AuthLimits {
    fileprivate var groupCount: Int { max(1, nameGroupCount) }

    /// The bytes of a name that may be remembered; one that is too long counts as none.
    fileprivate func remembered(_ name: String?) -> [UInt8]? {
        guard let name, name.utf8.count <= rememberedNameByteCount else { return nil }
        return Array(name.utf8)
    }
}
