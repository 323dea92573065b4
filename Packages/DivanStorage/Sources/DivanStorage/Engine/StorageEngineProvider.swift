/// Opens a custom storage engine for databases, in place of SQLite.
///
/// A value for any number of databases; pass it in `StoreOptions.engine`. Can be called from any thread, also
/// for several databases at once.
///
/// A database of a custom engine is a directory as with SQLite: the store manages the lock and the blobs in it, and the
/// engine has a directory of its own. Encryption keys, repair and copying of files are features of the SQLite engine
/// and fail with `StoreError.Code.engineUnsupported`.
public protocol StorageEngineProvider: Sendable {
    /// The engine's name, 1 to `StorageLimits.engineNameByteCount` letters, digits and `-._` of ASCII.
    ///
    /// It is stored in the database, which no other engine opens. Never change it for data that exist.
    var name: String { get }

    /// Opens the data in a directory, or creates them in an empty one.
    ///
    /// The store closes the engine when its last owner has gone. If `place.isReadOnly`, another process may have
    /// the database open for writing, and the engine's `isReadOnly` must be true.
    ///
    /// - Throws: A `StoreError`, which is passed on; any other error becomes `StoreError.Code.engineFailed` with
    ///   its description.
    func openEngine(in place: StorageEngineLocation) throws -> any StorageEngine
}

/// Where and how a custom storage engine keeps a database.
public struct StorageEngineLocation: Sendable {
    /// An existing directory for the engine's files only, which other users cannot enter; `nil` for a database in
    /// memory.
    public let directory: String?
    /// Whether the engine must not change anything.
    public let isReadOnly: Bool
    /// Whether each acknowledged write must survive a power failure.
    public let syncsFully: Bool

    /// Describes a place.
    public init(directory: String?, isReadOnly: Bool = false, syncsFully: Bool = false) {
        self.directory = directory
        self.isReadOnly = isReadOnly
        self.syncsFully = syncsFully
    }
}

extension StorageEngineProvider {
    /// Opens the engine, and gives its errors a place and its name.
    public func opened(
        in place: StorageEngineLocation,
        at path: String
    ) throws(StoreError) -> any StorageEngine {
        do {
            let engine = try openEngine(in: place)
            guard !place.isReadOnly || engine.isReadOnly else {
                engine.close()
                throw StoreError(
                    .engineFailed(name: name, "it opened a read-only database for writing"),
                    at: path
                )
            }
            return engine
        } catch let error as StoreError {
            throw StoreError(error.code, at: error.path.isEmpty ? path : error.path)
        } catch {
            throw StoreError(.engineFailed(name: name, String(describing: error)), at: path)
        }
    }

    /// Whether the name can be stored in a database.
    public var hasValidName: Bool {
        let isAllowed = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"):
                true
            default: false
            }
        }
        return isAllowed && (1...StorageLimits.engineNameByteCount).contains(name.utf8.count)
    }
}
