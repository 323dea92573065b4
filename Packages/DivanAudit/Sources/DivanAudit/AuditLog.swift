public import DivanJSON
public import DivanPlatform
import Synchronization

/// Appends entries to an audit log: a file in which changed, removed, inserted and reordered lines are detected.
///
/// Each entry is one line, written with one call before `append` returns, so a process that is killed loses none. It
/// reaches the disk with the next `sync()`, which the owner calls regularly: a power failure loses the entries since the
/// last call. If a line cannot be written, such as on a full disk, the log counts the entries that were lost, records
/// their number as soon as it can write again, and reports the error with `takeFailure()`.
///
/// All members can be used from any thread. `append` waits for other calls of `append`, but not for `sync`.
public final class AuditLog: Sendable {
    /// The last line of a log.
    public struct Position: Equatable, Sendable {
        /// Its number; the first line of the first file has 1.
        public let number: UInt64
        /// Its code.
        ///
        /// Kept elsewhere, it later proves that no line up to this one is missing.
        public let code: AuditCode
    }

    fileprivate struct State {
        var file: AuditFile?
        var position: Position
        var lostCount: UInt64 = 0
        var isFailing = false
        var isSyncFailing = false
        var failure: AuditError?
    }

    /// The file.
    public let path: String

    private let chain: AuditChain
    private let clock: @Sendable () -> Int64
    private let state: Mutex<State>
    /// Held while the file is synced, replaced or closed, so that it stays open during a sync.
    private let order = Mutex(())

    /// Opens a log, or creates it with mode 0600.
    ///
    /// An existing log is continued; an incomplete last line, from a power failure, is removed and recorded. An empty
    /// file becomes a new log. Any other file is left unchanged and refused.
    ///
    /// - Parameters:
    ///   - path: The file; not a symbolic link.
    ///   - key: The key of the codes; `nil` detects only changes by programs that do not compute new codes.
    ///   - clock: Returns the time in milliseconds since 1970.
    /// - Throws: `AuditError`.
    public init(
        _ path: String,
        key: AuditKey?,
        clock: @escaping @Sendable () -> Int64 = WallClock.milliseconds
    ) throws(AuditError) {
        let chain = AuditChain(key)
        let start = try Self.open(path, chain, at: clock())
        self.path = path
        self.chain = chain
        self.clock = clock
        state = Mutex(start)
    }

    deinit {
        state.withLock { $0.file?.descriptor.close() }
    }

    /// The last line.
    public var position: Position { state.withLock { $0.position } }

    /// The number of lost entries that the log does not record yet; after `close()`, those that it never records.
    public var lostCount: UInt64 { state.withLock { $0.lostCount } }

    /// Returns the first error since the last call.
    ///
    /// An error that continues is reported only once, until lines can be written or synced again.
    public func takeFailure() -> AuditError? { state.withLock { $0.failure.take() } }

    /// Appends an entry with the current time.
    ///
    /// After `close()`, the entry is only counted in `lostCount`. Texts longer than `AuditLimits.textByteCount` are
    /// shortened. Members that are too long, or have no JSON text, are replaced by `omittedBytes`. The names `audit`,
    /// `code`, `event`, `n` and `time` are reserved.
    public func append(_ event: AuditEvent, _ members: JSONObject = [:]) {
        state.withLock { state in
            let time = clock()
            if state.lostCount > 0, state.file != nil {
                let isRecorded = state.append(
                    .loss,
                    ["entries": JSON(state.lostCount)],
                    at: time,
                    chain
                )
                if isRecorded { state.lostCount = 0 }
            }
            guard state.lostCount == 0, state.append(event, members, at: time, chain) else {
                state.lostCount += 1
                return
            }
        }
    }

    /// Writes the entries to the disk, unless there are none since the last call.
    public func sync() {
        order.withLock { _ in syncContent() }
    }

    /// Continues in a new file if the path no longer refers to the present one, as after a rotation.
    ///
    /// The new file may exist if it is empty. Its first line contains the code that it continues.
    ///
    /// - Returns: Whether it continues in another file.
    /// - Throws: `AuditError`; the log then continues in the present file.
    public func reopen() throws(AuditError) -> Bool {
        try order.withLock { _ throws(AuditError) in
            let isMoved = state.withLock { $0.file.map { !$0.isAtPath } ?? false }
            guard isMoved else { return false }
            let file = try AuditFile(path)
            guard file.byteCount == 0 else {
                file.descriptor.close()
                throw AuditError(path, .notEmpty)
            }
            let former = try state.withLock { state throws(AuditError) in
                try state.continue(in: file, at: clock(), chain)
            }
            if let former {
                if former.needsSync { syncContent(of: former) }
                former.descriptor.close()
            }
            syncContent()
            do throws(AuditError) {
                try Self.syncDirectory(of: path)
            } catch {
                state.withLock { $0.note(error) }
            }
            return true
        }
    }

    /// Writes the entries to the disk and closes the file.
    public func close() {
        order.withLock { _ in
            syncContent()
            state.withLock { state in
                state.file?.descriptor.close()
                state.file = nil
            }
        }
    }

    /// Syncs outside of the lock that `append` needs; a failed sync is not repeated.
    private func syncContent() {
        let file = state.withLock { state -> AuditFile? in
            guard state.file?.needsSync == true else { return nil }
            state.file?.needsSync = false
            return state.file
        }
        if let file { syncContent(of: file) }
    }

    private func syncContent(of file: AuditFile) {
        do {
            try file.descriptor.syncContent()
            state.withLock { $0.isSyncFailing = false }
        } catch {
            state.withLock { state in
                if !state.isSyncFailing { state.note(AuditError(path, .system(error))) }
                state.isSyncFailing = true
            }
        }
    }

    /// Makes the name of a new file survive a power failure.
    private static func syncDirectory(of path: String) throws(AuditError) {
        do {
            try FileSystem.syncDirectory(FileSystem.directory(of: path))
        } catch {
            throw AuditError(path, .system(error))
        }
    }

    private static func open(
        _ path: String,
        _ chain: AuditChain,
        at time: Int64
    ) throws(AuditError) -> State {
        let file = try AuditFile(path)
        do throws(AuditError) {
            let state = try start(in: file, chain, at: time)
            try syncDirectory(of: path)
            return state
        } catch {
            file.descriptor.close()
            throw error
        }
    }

    /// Writes the first line, or removes an incomplete last one.
    private static func start(
        in file: AuditFile,
        _ chain: AuditChain,
        at time: Int64
    ) throws(AuditError) -> State {
        var state = State(file: file, position: Position(number: 0, code: .none))
        switch try file.content(chain) {
        case .empty:
            let incompleteByteCount = file.byteCount
            state.file?.byteCount = 0
            state.file?.isTorn = true
            state.append(.begin, beginning(chain), at: time, chain)
            if incompleteByteCount > 0 { state.noteRepair(incompleteByteCount, at: time, chain) }
        case .lines(let last, let incompleteByteCount):
            state.position = Position(number: last.number, code: last.code)
            guard incompleteByteCount > 0 else { return state }
            state.file?.byteCount -= incompleteByteCount
            state.file?.isTorn = true
            state.noteRepair(incompleteByteCount, at: time, chain)
        }
        if let failure = state.failure { throw failure }
        do {
            try file.descriptor.syncContent()
            return state
        } catch {
            throw AuditError(file.path, .system(error))
        }
    }

    /// The members of the first line of a file.
    fileprivate static func beginning(
        _ chain: AuditChain,
        after position: Position? = nil
    ) -> JSONObject {
        var members: JSONObject = ["audit": "divan", "version": JSON(AuditLine.version)]
        members["key"] = chain.keyID.map { .string($0) }
        members["continues"] = position.map { .string($0.code.description) }
        return members
    }
}

extension AuditLog.State {
    /// Appends an entry; false if it could not be written.
    @discardableResult
    mutating func append(
        _ event: AuditEvent,
        _ members: JSONObject,
        at time: Int64,
        _ chain: AuditChain
    ) -> Bool {
        guard var file else { return false }
        let number = position.number + 1
        func content(_ members: JSONObject) -> [UInt8] {
            var members = members
            if event != .begin { members["audit"] = nil }
            members["code"] = nil
            members["event"] = .string(event.rawValue)
            members["n"] = JSON(number)
            let seconds = Double(time) / 1_000
            members["time"] = .string(ISO8601.format(secondsSince1970: seconds))
            return AuditLine.content(members) ?? []
        }
        var line = content(members.withShortTexts)
        if line.isEmpty || line.count + AuditLine.codeByteCount > AuditLimits.lineByteCount {
            line = content(["omittedBytes": JSON(line.count)])
        }
        let code = chain.code(of: line.span, after: position.code)
        defer { self.file = file }
        do {
            try file.append(AuditLine.bytes(line, code))
            position = AuditLog.Position(number: number, code: code)
            isFailing = false
            return true
        } catch {
            if !isFailing { note(AuditError(file.path, .system(error))) }
            isFailing = true
            return false
        }
    }

    /// Keeps an error for `takeFailure()`, unless there is an earlier one.
    mutating func note(_ error: AuditError) {
        failure = failure ?? error
    }

    mutating func noteRepair(_ byteCount: Int, at time: Int64, _ chain: AuditChain) {
        append(.repair, ["removedBytes": JSON(byteCount)], at: time, chain)
    }

    /// Writes the first line of a new file, and continues in it.
    ///
    /// - Returns: The former file.
    mutating func `continue`(
        in next: AuditFile,
        at time: Int64,
        _ chain: AuditChain
    ) throws(AuditError) -> AuditFile? {
        let former = self
        (isFailing, failure) = (false, nil)
        file = next
        guard append(.begin, AuditLog.beginning(chain, after: position), at: time, chain) else {
            let error = failure ?? AuditError(next.path, .notEmpty)
            next.descriptor.close()
            self = former
            throw error
        }
        failure = former.failure
        return former.file
    }
}

extension JSONObject {
    /// The same with shortened texts.
    fileprivate var withShortTexts: JSONObject {
        JSONObject(map { (key: $0.key, value: $0.value.withShortTexts) })
    }
}

extension JSON {
    fileprivate var withShortTexts: JSON {
        switch self {
        case .string(let text): .string(text.shortened)
        case .array(let items): .array(items.map(\.withShortTexts))
        case .object(let members): .object(members.withShortTexts)
        default: self
        }
    }
}

extension String {
    /// The start of a text that is too long, with an ellipsis.
    fileprivate var shortened: String {
        guard utf8.count > AuditLimits.textByteCount else { return self }
        let ellipsis = "…"
        var rest = AuditLimits.textByteCount - ellipsis.utf8.count
        let start = unicodeScalars.prefix { scalar in
            rest -= UTF8.width(scalar)
            return rest >= 0
        }
        return String(start) + ellipsis
    }
}
