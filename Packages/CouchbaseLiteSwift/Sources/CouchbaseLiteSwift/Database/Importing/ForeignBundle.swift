import DivanCBLite
import DivanDatabase

/// A directory that was opened as a database, but holds one of Couchbase Lite.
struct ForeignBundle: NumberedError, CustomStringConvertible {
    let description: String
    let number = ErrorNumber.divan(CBLError.unreadableDatabase)

    /// Opens a database; the error for a Couchbase Lite database says what to do.
    static func noticing<T>(_ directory: String, _ open: () throws -> T) throws -> T {
        do {
            return try open()
        } catch let error as StoreError {
            // Looking at a file that is open here would release its locks.
            guard case .notADatabase = error.code, !Store.isOpen(directory: directory),
                let notice = CBLiteBundle.notice(about: directory)
            else { throw error }
            throw ForeignBundle(description: "\(directory): \(notice)")
        }
    }
}
