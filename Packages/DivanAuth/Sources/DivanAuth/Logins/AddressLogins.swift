/// Who failed to log in from one address how often, and who has logged in from there.
///
/// Nothing that a client makes up gives somebody else fresh guesses: a name that failed is remembered by
/// itself, or with the group of names that chance put it into, until its time is over. Names that are made
/// up fill groups, which delays whoever falls into them, and empties none.
struct AddressLogins {
    /// What counts for those who give no name, and, where names do not count by themselves, for all that
    /// have not logged in before.
    private var strangers = LoginRecord()
    /// By the bytes of the user names: of two spellings of one name only one may be the user's.
    private var names: [[UInt8]: LoginRecord] = [:]
    /// What counts for names that are not remembered by themselves; empty until there are such.
    private var groups: [LoginRecord] = []
    /// Digests of what was shown besides name and password and let its sender in, the latest last.
    private var tokens: [[UInt8]] = []

    /// Whether there is something to remember.
    var isEmpty: Bool {
        strangers.isEmpty && names.isEmpty && groups.isEmpty && tokens.isEmpty
    }

    /// Decides when a visitor may log in.
    mutating func admit(
        _ visitor: LoginVisitor,
        at now: Duration,
        _ limits: AuthLimits
    ) -> LoginDecision {
        if let token = visitor.token, tokens.contains(token) { return .now }
        return change(visitor, at: now, limits) { $0.admit(at: now, limits) }
    }

    /// Notes wrong credentials.
    mutating func fail(
        _ visitor: LoginVisitor,
        at now: Duration,
        _ limits: AuthLimits
    ) {
        // It does not let its sender in any more.
        if let token = visitor.token { tokens.removeAll { $0 == token } }
        change(visitor, at: now, limits) { $0.fail(at: now, limits) }
    }

    /// Notes right credentials, which are those of `user`.
    mutating func succeed(_ visitor: LoginVisitor, as user: String?, _ limits: AuthLimits) {
        if let token = visitor.token {
            tokens.removeAll { $0 == token }
            tokens.append(token)
            if tokens.count > limits.rememberedNameCount { tokens.removeFirst() }
        }
        guard let name = limits.remembered(visitor.name) else { return }
        // What let it in may be the rest, and the name made up.
        guard visitor.token == nil || user.map({ Array($0.utf8) }) == name else { return }
        if names[name] == nil, names.count >= limits.rememberedNameCount {
            guard moveOneToItsGroup(limits) else { return }
        }
        names[name, default: LoginRecord()].succeed()
    }

    /// Runs `body` on the record that counts for a visitor.
    @discardableResult
    private mutating func change<Result>(
        _ visitor: LoginVisitor,
        at now: Duration,
        _ limits: AuthLimits,
        _ body: (inout LoginRecord) -> Result
    ) -> Result {
        guard let name = limits.remembered(visitor.name) else { return body(&strangers) }
        let known = names[name]
        let countsByItself = visitor.isExempt && visitor.token == nil
        guard countsByItself || known?.hasSucceeded == true else { return body(&strangers) }
        let group = group(of: name, limits)
        // A name whose failures are its group's stays there, or it would begin anew.
        guard known != nil || (isQuiet(group, at: now, limits) && hasRoom(at: now, limits)) else {
            if groups.isEmpty { groups = Array(repeating: LoginRecord(), count: limits.groupCount) }
            return body(&groups[group])
        }
        var record = known ?? LoginRecord()
        defer { names[name] = record.isEmpty ? nil : record }
        return body(&record)
    }

    /// Whether one more name can be remembered by itself: those go whose time is over.
    private mutating func hasRoom(at now: Duration, _ limits: AuthLimits) -> Bool {
        guard names.count >= limits.rememberedNameCount else { return true }
        let isStale = { (record: LoginRecord) in
            !record.hasSucceeded && record.isOver(at: now, limits)
        }
        guard names.values.contains(where: isStale) else { return false }
        names = names.filter { !isStale($0.value) }
        return true
    }

    /// Makes room for a name that has logged in: one that only failed goes on in its group.
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

    /// The seed of the hash is this process's secret, so nobody can look for names of one group.
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
