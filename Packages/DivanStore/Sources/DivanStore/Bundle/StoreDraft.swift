internal import Glibc

/// A database that is made under another name until it is whole, so that nobody takes half of one for
/// a database.
public struct StoreDraft: Sendable {
    /// Where the database is made.
    public let directory: String
    private let target: String

    /// Sees to it that a database can be made: nothing is at `target`, and what an earlier attempt left,
    /// whose program was killed, is deleted.
    ///
    /// - Parameters:
    ///   - target: Where the database will be.
    ///   - purpose: What is being done, behind the name: one attempt of a kind at a time.
    /// - Throws: `StoreError` with `alreadyExists`, or as `Store.delete`.
    public init(of target: String, while purpose: String) throws(StoreError) {
        self.target = target
        directory = "\(target).\(purpose)"
        guard !BundleFiles.exists(target) else { throw StoreError(.alreadyExists, at: target) }
        if Store.exists(directory: directory) { try Store.delete(directory: directory) }
    }

    /// Gives the database, which is closed, its place.
    ///
    /// - Throws: `StoreError`, `alreadyExists` where something has come to be there.
    public func place() throws(StoreError) {
        guard rename(directory, target) == 0 else {
            let isTaken = errno == ENOTEMPTY || errno == EEXIST
            throw StoreError(isTaken ? .alreadyExists : .io(errno), at: target)
        }
        BundleFiles.syncName(of: target)
    }

    /// Leaves nothing behind.
    public func discard() {
        try? Store.delete(directory: directory)
    }
}
