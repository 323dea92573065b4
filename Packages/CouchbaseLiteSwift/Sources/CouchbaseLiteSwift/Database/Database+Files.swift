import DivanDatabase
import Foundation

extension Database {
    /// Deletes a database that is not open; does nothing if it does not exist.
    ///
    /// `directory` is the directory that contains the database; `nil` means the default directory.
    ///
    /// - Throws: `CBLError.busy` while it is open in this or another process.
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

    /// Returns whether a database exists in `directory`; `nil` means the default directory.
    public static func exists(withName name: String, inDirectory directory: String? = nil) -> Bool {
        guard let location = try? location(name, in: directory) else { return false }
        return Store.exists(directory: location.bundlePath)
    }

    /// Copies a database and its blobs; the copy starts with its own checkpoints.
    ///
    /// - Parameters:
    ///   - path: The directory `<name>.cblite2` of the database to copy.
    ///   - name: The name of the copy.
    ///   - config: The directory for the copy; `nil` means the default directory. For an encrypted database, it must
    ///     contain the key, which the copy also uses.
    /// - Throws: `EEXIST` in `NSPOSIXErrorDomain` if a database of that name exists, and `CBLError.notFound` if `path`
    ///   does not exist.
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
                    packing: try config?.packing() ?? .bundled
                )
            }
        }
    }

    private static func location(_ name: String, in directory: String?) throws -> DatabaseLocation {
        let directory = directory ?? DatabaseConfiguration().directory
        return try DatabaseLocation(name: name, directory: directory)
    }
}
