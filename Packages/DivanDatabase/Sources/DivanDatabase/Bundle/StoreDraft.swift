import DivanPlatform
public import DivanStore

/// A database that is created under a temporary name until it is complete, so that an incomplete database is never
/// opened.
public struct StoreDraft: Sendable {
    /// Where the database is created.
    public let directory: String
    private let target: String

    /// Ensures that a database can be created: nothing exists at `target`, and the leftovers of an earlier attempt
    /// are deleted.
    ///
    /// - Parameters:
    ///   - target: Where the database will be.
    ///   - purpose: The purpose, appended to the name. Only one attempt for each purpose can run at a time.
    /// - Throws: `StoreError` with `alreadyExists`, or as `Store.delete`.
    public init(of target: String, while purpose: String) throws(StoreError) {
        self.target = target
        directory = "\(target).\(purpose)"
        guard !StoreFiles.exists(target) else { throw StoreError(.alreadyExists, at: target) }
        do {
            _ = try FileStatus(of: target)
        } catch {
            // Reported about the target, because the temporary name means nothing to the caller.
            if error.errno == .notDirectory { throw StoreError(.io(.notDirectory), at: target) }
        }
        if Store.exists(directory: directory) { try Store.delete(directory: directory) }
    }

    /// Moves the closed database to its final location.
    ///
    /// - Throws: `StoreError`, `alreadyExists` if something has appeared there.
    public func place() throws(StoreError) {
        do {
            try FileSystem.rename(directory, to: target)
        } catch {
            let isTaken = error.errno == .directoryNotEmpty || error.errno == .fileExists
            throw StoreError(isTaken ? .alreadyExists : .io(error.errno.rawValue), at: target)
        }
        StoreFiles.syncName(of: target)
    }

    /// Deletes the draft completely.
    public func discard() {
        try? Store.delete(directory: directory)
    }
}
