import DivanStore
import Foundation

extension Database {
    /// Deletes a database that nobody has open; does nothing when there is none.
    ///
    /// Looks in `directory`, or in the default directory for `nil`.
    ///
    /// - Throws: `CBLError.busy` while it is open, here or in another process.
    public static func delete(withName name: String, inDirectory directory: String? = nil) throws {
        let location = try location(name, in: directory)
        do {
            try Store.delete(directory: location.bundlePath)
        } catch  where error.code == .noSuchDatabase {
            return
        } catch {
            throw NSError(from: error)
        }
    }

    /// Returns whether there is a database in `directory`, or in the default directory for `nil`.
    public static func exists(withName name: String, inDirectory directory: String? = nil) -> Bool {
        guard let location = try? location(name, in: directory) else { return false }
        return Store.exists(directory: location.bundlePath)
    }

    /// Copies a database and its blobs; the copy has checkpoints of its own.
    ///
    /// - Parameters:
    ///   - path: The directory `<name>.cblite2` of the database to copy.
    ///   - name: The name of the copy.
    ///   - config: Where the copy goes; `nil` means the default directory. For an encrypted database it holds the key,
    ///     which the copy keeps.
    /// - Throws: `EEXIST` in `NSPOSIXErrorDomain` when a database of that name exists, and `CBLError.notFound` when
    ///   there is none at `path`.
    public static func copy(
        fromPath path: String,
        toDatabase name: String,
        withConfig config: DatabaseConfiguration?
    ) throws {
        let target = try location(name, in: config?.directory)
        try translatingErrors {
            try ForeignBundle.noticing(path) {
                try Store.copy(
                    directory: path,
                    to: target.bundlePath,
                    sealing: try config?.encryptionKey?.sealing(),
                    packing: .bundled
                )
            }
        }
    }

    private static func location(_ name: String, in directory: String?) throws -> DatabaseLocation {
        let directory = directory ?? DatabaseConfiguration().directory
        return try DatabaseLocation(name: name, directory: directory)
    }
}
