import DivanStore
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

    /// An empty disk; `usesFiles` keeps the rows in SQLite files instead of in memory.
    static func make(usesFiles: Bool) -> LastingRows {
        guard usesFiles, let file = try? DatabaseFile() else {
            return LastingRows(.memory(MemoryEngine()))
        }
        return LastingRows(.file(file))
    }

    var engine: any StorageEngine {
        switch place {
        case .memory(let engine): engine
        case .file(let file): file.engine
        }
    }

    /// What a copy of the disk holds, made between two transactions.
    func copy() -> LastingRows {
        switch place {
        case .memory(let engine): LastingRows(.memory(engine.copy()))
        case .file(let file):
            // Without room for another file there is nothing to simulate.
            (try? file.copy()).map { LastingRows(.file($0)) } ?? self
        }
    }

    /// What is left when the process ends without closing anything.
    func afterCrash() -> LastingRows {
        switch place {
        case .memory: return self
        case .file(let file):
            let left = copy()
            if left !== self { file.engine.close() }
            return left
        }
    }
}

/// A database file with its log, in a directory of its own in memory.
private final class DatabaseFile {
    let engine: any StorageEngine
    private let directory: TemporaryDirectory

    private var path: String { directory.file("rows") }

    init() throws {
        directory = try TemporaryDirectory()
        engine = try SQLiteFile.create(at: directory.file("rows"))
    }

    private init(in directory: TemporaryDirectory) throws {
        self.directory = directory
        engine = try SQLiteFile.open(at: directory.file("rows"))
    }

    deinit { engine.close() }

    /// The file and its log as they are, as after a crash: the log is not written into the file.
    func copy() throws -> DatabaseFile {
        let other = try TemporaryDirectory()
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.copyItem(
                atPath: path + suffix,
                toPath: other.file("rows") + suffix
            )
        }
        return try DatabaseFile(in: other)
    }
}
