import DivanDatabase
import DivanTestKit
import Foundation

/// The rows of a node's disk: what is committed outlives the process, and can be copied away.
///
/// On the loop only.
final class LastingRows {
    /// Where they are.
    private enum Place {
        case memory(MemoryEngine)
        case file(DatabaseFile)
    }

    private let place: Place

    private init(_ place: Place) { self.place = place }

    /// An empty disk in memory.
    static func inMemory() -> LastingRows { LastingRows(.memory(MemoryEngine())) }

    /// An empty disk with SQLite files.
    ///
    /// - Throws: If this machine has no space for them.
    static func inFiles(seed: UInt64) throws -> LastingRows {
        LastingRows(.file(try DatabaseFile(seed: seed)))
    }

    var engine: any StorageEngine {
        switch place {
        case .memory(let engine): engine
        case .file(let file): file.engine
        }
    }

    /// The disk under the files; `nil` for rows in memory.
    var disk: FailingDisk? {
        switch place {
        case .memory: nil
        case .file(let file): file.disk
        }
    }

    /// A copy of the disk's contents, made between two transactions.
    ///
    /// - Throws: If this machine has no space for it.
    func copy() throws -> LastingRows {
        switch place {
        case .memory(let engine): LastingRows(.memory(engine.copy()))
        case .file(let file): LastingRows(.file(try file.copy()))
        }
    }

    /// What is left if the process ends without closing anything, or the machine without syncing.
    ///
    /// - Throws: If this machine has no space for it.
    func afterCrash(cutsPower: Bool) throws -> LastingRows {
        guard case .file(let file) = place else { return self }
        defer { file.engine.close() }
        return LastingRows(.file(try cutsPower ? file.remains() : file.copy()))
    }
}

/// A database file with its log, in its own directory in memory.
private final class DatabaseFile {
    let engine: any StorageEngine
    let disk: FailingDisk
    private let seed: UInt64
    private let directory: TemporaryDirectory

    private var path: String { directory.file("rows") }

    /// A new one.
    convenience init(seed: UInt64) throws {
        try self.init(in: TemporaryDirectory(), seed: seed) { try SQLiteFile.create(at: $0) }
    }

    private init(
        in directory: TemporaryDirectory,
        seed: UInt64,
        _ open: (String) throws -> any StorageEngine
    ) throws {
        let path = directory.file("rows")
        guard let disk = FailingDisk(prefix: path, seed: seed) else {
            throw StoreError(.io(5), at: path)
        }
        (self.directory, self.seed, self.disk) = (directory, seed, disk)
        engine = try open(path)
    }

    deinit { engine.close() }

    /// The file and its log as they are, as after a crash: the log is not checkpointed into the file.
    func copy() throws -> DatabaseFile {
        let other = try TemporaryDirectory()
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.copyItem(
                atPath: path + suffix,
                toPath: other.file("rows") + suffix
            )
        }
        return try next(in: other)
    }

    /// What a power cut leaves of them.
    func remains() throws -> DatabaseFile {
        let other = try TemporaryDirectory()
        guard disk.writeRemains(to: other.file("rows")) else { throw StoreError(.io(5), at: path) }
        return try next(in: other)
    }

    private func next(in directory: TemporaryDirectory) throws -> DatabaseFile {
        try DatabaseFile(in: directory, seed: seed &+ 1) { try SQLiteFile.open(at: $0) }
    }
}
