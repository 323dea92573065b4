internal import Glibc

/// A database that is created under another name until it is complete, so that an incomplete one is
/// never taken for a database.
public struct StoreDraft: Sendable {
    /// Where the database is created.
    public let directory: String
    private let target: String

    /// Ensures that a database can be created: nothing is at `target`, and whatever a killed program
    /// left of an earlier attempt is deleted.
    ///
    /// - Parameters:
    ///   - target: Where the database will be.
    ///   - purpose: What is being done, appended to the name: only one attempt of each kind at a time.
    /// - Throws: `StoreError` with `alreadyExists`, or as `Store.delete`.
    public init(of target: String, while purpose: String) throws(StoreError) {
        self.target = target
        directory = "\(target).\(purpose)"
        guard !BundleFiles.exists(target) else { throw StoreError(.alreadyExists, at: target) }
        if Store.exists(directory: directory) { try Store.delete(directory: directory) }
    }

    /// Moves the database, which must be closed, to its place.
    ///
    /// - Throws: `StoreError`, `alreadyExists` if something has appeared there.
    public func place() throws(StoreError) {
        guard rename(directory, target) == 0 else {
            let isTaken = errno == ENOTEMPTY || errno == EEXIST
            throw StoreError(isTaken ? .alreadyExists : .io(errno), at: target)
        }
        BundleFiles.syncName(of: target)
    }

    /// Deletes the draft completely.
    public func discard() {
        try? Store.delete(directory: directory)
    }
}
