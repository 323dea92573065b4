import DivanRevisions
import DivanStore
public import Foundation

extension Collection {
    /// Sets when a document expires and is purged; `nil` for never.
    ///
    /// With a date that has passed, it is purged within about a second. Expiration is local: it never replicates. It is
    /// kept when a new revision is saved, and works on deleted documents.
    ///
    /// - Throws: `CBLError.notFound`, `notOpen`.
    public func setDocumentExpiration(id: String, expiration: Date?) throws {
        let (path, name) = (path, StoredID(unchecked: id))
        let time = expiration?.milliseconds
        try write { writer in try writer.setExpiration(time, of: name, in: path) }
        database.file.expirationDidChange()
    }

    /// Returns when a document expires; `nil` if it does not, or there is no such document.
    ///
    /// - Throws: `CBLError.notOpen`.
    public func getDocumentExpiration(id: String) throws -> Date? {
        let (path, name) = (path, StoredID(unchecked: id))
        let time = try read { reader in try reader.expiration(of: name, in: path) }
        return time.map { Date(timeIntervalSince1970: Double($0) / 1_000) }
    }
}

extension Date {
    /// Milliseconds since 1970, clamped to 64 bits.
    var milliseconds: Int64 {
        let time = (timeIntervalSince1970 * 1_000).rounded()
        return Int64(exactly: time) ?? (time < 0 ? .min : .max)
    }
}
