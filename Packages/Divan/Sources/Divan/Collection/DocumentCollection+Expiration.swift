internal import CouchbaseLiteSwift
public import Foundation

extension DocumentCollection {
    /// Sets when a document is purged from this database; `nil` means never.
    ///
    /// The time is kept when the document is saved again, and is not synced. A time in the past purges the document
    /// within about a second.
    ///
    /// - Throws: ``DivanError/Code/notFound``; `invalidArgument` for an infinite date; `readOnly`; `notOpen`.
    public func expire(_ id: String, at date: Date?) throws {
        try DivanError.converting(place: place(of: id)) {
            try official.setDocumentExpiration(id: id, expiration: date)
        }
    }

    /// Purges a document from this database after a time, for example `.seconds(3600)`.
    ///
    /// - Throws: The same errors as `expire(_:at:)`.
    public func expire(_ id: String, after time: Duration) throws {
        try expire(id, at: Date(timeIntervalSinceNow: time / .seconds(1)))
    }

    /// Returns when a document expires; `nil` if it does not expire or does not exist.
    ///
    /// - Throws: ``DivanError/Code/notOpen``.
    public func expiration(of id: String) throws -> Date? {
        try DivanError.converting(place: place(of: id)) {
            try official.getDocumentExpiration(id: id)
        }
    }
}
