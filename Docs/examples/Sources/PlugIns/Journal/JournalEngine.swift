import DivanJSON
import DivanMemoryEngine
import DivanPlatform
public import DivanStorage
import Foundation
import Synchronization

/// Keeps rows in one file that only grows, and in memory where each row is, as Bitcask does.
///
/// Theory of operation. A transaction is one record at the end of the file: its length, a checksum, and its changes
/// (`JournalSession.replay`). Opening the file replays all records. An incomplete record, left by a process that was
/// killed while writing, marks the end. A snapshot is a copy of the state, which costs nothing until the next change,
/// and reads rows from the file, whose records never change. A transaction that throws undoes its changes to the state,
/// and writes nothing. Indexes of single properties are in the state, too.
///
/// Sendable although a session is not: the contract promises one `write` at a time, and the state is only accessed under
/// the lock.
public final class JournalEngine: StorageEngine, @unchecked Sendable {
    /// Bytes of a record's length, its checksum, and the checksum of both.
    private static let headByteCount = 24

    private let lock = RecursiveLock()
    private let file: JournalFile
    private var state = JournalState()
    private var syncs: Bool
    private var isOpen = true

    /// Whether nothing can be changed.
    public let isReadOnly: Bool

    /// Opens a file, or creates it.
    public init(path: String, isReadOnly: Bool = false, syncs: Bool = false) throws {
        self.isReadOnly = isReadOnly
        self.syncs = syncs
        file = try JournalFile(path, isReadOnly: isReadOnly)
        let size = try file.size
        while let record = try nextRecord(before: size) {
            let start = file.byteCount - record.count
            let session = JournalSession(state, of: file, changesAt: start, isReplaying: true)
            state = JournalState()
            try session.replay(record)
            state = session.state
        }
        if !isReadOnly { try file.truncate() }
    }

    /// The next record's changes; `nil` at the end of the file, or before an incomplete record.
    ///
    /// - Throws: `corrupt` for a damaged record that others follow: they must not be lost with it.
    private func nextRecord(before size: Int) throws -> [UInt8]? {
        let start = file.byteCount
        let head = try file.read(at: start, count: Self.headByteCount)
        guard head.count == Self.headByteCount else { return nil }
        var reader = JournalReader(head)
        let (count, checksum) = (try reader.number(), try reader.number())
        guard try reader.number() == JournalFile.checksum(Array(head.dropLast(8))) else {
            throw StoreError(.corrupt("the record at \(start) is damaged"))
        }
        guard count <= UInt64(size - start - Self.headByteCount) else { return nil }
        let record = try file.read(at: start + Self.headByteCount, count: Int(count))
        let end = start + Self.headByteCount + record.count
        guard JournalFile.checksum(record) == checksum else {
            // After a power failure, the last record may have its length, but not its content.
            if end == size { return nil }
            throw StoreError(.corrupt("the record at \(start) is damaged"))
        }
        file.byteCount = end
        return record
    }

    /// How many rows were read from the file.
    public var rowReadCount: Int { file.readCount.load(ordering: .relaxed) }

    /// Runs `body` on the current committed state.
    public func read<T>(_ body: (any StorageSnapshot) throws -> T) throws -> T {
        let session = try lock.withLock {
            guard isOpen else { throw StoreError(.notOpen) }
            return JournalSession(state, of: file)
        }
        return try body(session)
    }

    /// Runs `body` in a transaction.
    public func write<T>(_ body: (any StorageTransaction) throws -> T) throws -> T {
        try lock.withLock {
            guard isOpen else { throw StoreError(.notOpen) }
            guard !isReadOnly else { throw StoreError(.readOnly) }
            let session = JournalSession(
                state,
                of: file,
                changesAt: file.byteCount + Self.headByteCount
            )
            // The session has the only reference, so that it changes the state in place.
            state = JournalState()
            do {
                let result = try body(session)
                try append(session.changes)
                state = session.state
                return result
            } catch {
                session.undo()
                state = session.state
                throw error
            }
        }
    }

    private func append(_ changes: [UInt8]) throws {
        guard !changes.isEmpty else { return }
        var record = JournalWriter()
        record.number(UInt64(changes.count))
        record.number(JournalFile.checksum(changes))
        record.number(JournalFile.checksum(record.bytes))
        try file.append(record.bytes + changes, syncs: syncs)
    }

    /// Reads every row.
    public func checkIntegrity() throws(StoreError) {
        do {
            try read { snapshot in
                for path in try snapshot.collections() {
                    guard let id = try snapshot.collection(path) else { continue }
                    try snapshot.forEachRow(in: id) { _ = try $0.get() }
                }
            }
        } catch {
            throw error as? StoreError ?? StoreError(.corrupt("\(error)"))
        }
    }

    /// Syncs the file.
    public func makeDurable() throws(StoreError) {
        try lock.withLock { () throws(StoreError) in
            guard isOpen else { throw StoreError(.notOpen) }
            try file.sync()
        }
    }

    /// Syncs the file, now and after each transaction.
    public func syncFully() throws(StoreError) {
        try lock.withLock { () throws(StoreError) in
            guard isOpen else { throw StoreError(.notOpen) }
            try file.sync()
            syncs = true
        }
    }

    /// Closes the engine; the file is closed after the last snapshot.
    public func close() {
        lock.withLock {
            isOpen = false
            state = JournalState()
        }
    }
}

/// Opens a `JournalEngine` for each database.
public struct JournalEngines: StorageEngineProvider {
    /// The name in the files of databases.
    public let name = "journal"

    /// Creates the provider.
    public init() {}

    /// Opens the journal in the engine's directory.
    public func openEngine(in place: StorageEngineLocation) throws -> any StorageEngine {
        guard let directory = place.directory else { return MemoryEngine() }
        return try JournalEngine(
            path: "\(directory)/journal",
            isReadOnly: place.isReadOnly,
            syncs: place.syncsFully
        )
    }
}

/// The file; closed with the last reference to it.
///
/// Sendable: reads are at positions, and only the thread with the engine's lock appends.
final class JournalFile: @unchecked Sendable {
    private let descriptor: FileDescriptor
    /// Rows that were read.
    let readCount = Atomic(0)
    /// Bytes of complete records.
    var byteCount = 0

    /// Why earlier writes may be lost; nothing is written any more.
    private var failure: StoreError?

    init(_ path: String, isReadOnly: Bool) throws {
        let flags: FileDescriptor.OpenFlags = isReadOnly ? [.readOnly] : [.readWrite, .create]
        descriptor = try .open(path, [flags, .closeOnExec], permissions: 0o600)
        guard !isReadOnly else { return }
        // The entry of a new file in its directory.
        let folder = URL(filePath: path).deletingLastPathComponent().path
        let directory = try FileDescriptor.open(folder, [.readOnly, .directory, .closeOnExec])
        defer { directory.close() }
        try directory.sync()
    }

    deinit { descriptor.close() }

    /// FNV-1a, which finds torn records, but no forged ones.
    static func checksum(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// Fewer bytes than `count` at the end of the file.
    func read(at offset: Int, count: Int) throws(StoreError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        do {
            var filled = 0
            while filled < count {
                let more = try bytes.withUnsafeMutableBytes { room throws(SystemError) in
                    try descriptor.read(into: .init(rebasing: room[filled...]), at: offset + filled)
                }
                if more == 0 { break }
                filled += more
            }
            return Array(bytes.prefix(filled))
        } catch {
            throw StoreError(.io((error as? SystemError)?.errno.rawValue ?? 0))
        }
    }

    func append(_ record: [UInt8], syncs: Bool) throws {
        if let failure { throw failure }
        do {
            try descriptor.seek(to: byteCount)
            try descriptor.writeAll(record)
        } catch {
            let problem = StoreError(
                error.errno == .noSpace ? .diskFull : .io(error.errno.rawValue)
            )
            // The record would reappear.
            do { try truncate() } catch { failure = problem }
            throw problem
        }
        if syncs { try sync() }
        byteCount += record.count
    }

    /// Bytes of the file, with an incomplete record at its end.
    var size: Int {
        get throws { try descriptor.seekToEnd() }
    }

    func truncate() throws { try descriptor.truncate(to: byteCount) }

    func sync() throws(StoreError) {
        if let failure { throw failure }
        do {
            try descriptor.syncContent()
        } catch {
            // A second call would succeed without the pages that the first has lost.
            let problem = StoreError(.io(error.errno.rawValue))
            failure = problem
            throw problem
        }
    }
}
