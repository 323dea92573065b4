import DivanDatabase
import DivanRevisions
public import Foundation

extension Collection {
    /// Sets when a document expires and is purged; `nil` means never.
    ///
    /// A date in the past purges the document within about a second. Expiration is local and never replicates. It is
    /// kept when a new revision is saved, and also applies to deleted documents.
    ///
    /// Dates are truncated to milliseconds.
    ///
    /// - Throws: `CBLError.notFound`, `notOpen`; `invalidParameter` for an infinite date, or one whose milliseconds
    ///   since 1970 exceed 64 bits.
    public func setDocumentExpiration(id: String, expiration: Date?) throws {
        let (path, name) = (path, StoredID(unchecked: id))
        let time = try expiration.map { try $0.expirationTime() }
        try write { writer in try writer.setExpiration(time, of: name, in: path) }
        database.file.expirationDidChange()
    }

    /// Returns when a document expires; `nil` if it does not expire or does not exist.
    ///
    /// - Throws: `CBLError.notOpen`.
    public func getDocumentExpiration(id: String) throws -> Date? {
        let (path, name) = (path, StoredID(unchecked: id))
        let time = try read { reader in try reader.expiration(of: name, in: path) }
        return time.map { Date(timeIntervalSince1970: Double($0) / 1_000) }
    }
}

extension Date {
    /// Milliseconds since 1970, cut, as an expiration stores them.
    ///
    /// - Throws: `CBLError.invalidParameter` if they do not fit.
    fileprivate func expirationTime() throws -> Int64 {
        guard let time = Int64(exactly: wholeMilliseconds) else {
            throw NSError(
                CBLError.invalidParameter,
                "setDocumentExpiration: the date \(timeIntervalSince1970) seconds after 1970 "
                    + "cannot be stored; pass an earlier date, or nil for never"
            )
        }
        return time
    }

    /// Milliseconds since 1970, cut, and clamped to 64 bits.
    var milliseconds: Int64 {
        let time = wholeMilliseconds
        return Int64(exactly: time) ?? (time < 0 ? .min : .max)
    }

    private var wholeMilliseconds: Double {
        // A `Date` counts from 2001: a whole number of milliseconds since 1970 may be less by its precision.
        let precision = 2 * timeIntervalSince1970.ulp
        return ((timeIntervalSince1970 + precision) * 1_000).rounded(.down)
    }
}
