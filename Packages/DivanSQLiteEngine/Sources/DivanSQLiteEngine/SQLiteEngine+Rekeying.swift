import DivanPlatform
internal import DivanSQLite
public import DivanStorage

extension SQLiteEngine {
    /// Writes what is committed now to a file that is empty or missing, with the new file's key.
    ///
    /// Copying page by page would not do: pages in which a seal needs room have another layout.
    public func rewrite(to target: DatabaseFileLocation) throws(StoreError) {
        let source = try StoreConnection(place, mode: mode, namesOthers: true)
        if let sealing = target.sealing { try source.reserve(sealing.reservedByteCount) }
        if let made = try StoreFiles.makeFile(target.path) { made.close() }
        try source.addFunctions()
        let statement = try source.prepare("VACUUM INTO ?")
        try statement.bind(try target.uri(), at: 1)
        source.setControl(LongWork.control)
        defer { source.setControl(nil) }
        try statement.run()
        try LongWork.check(at: path)
        // The new file uses a rollback journal; switching to WAL via `OFF` writes no page into one.
        let copy = try StoreConnection(target, mode: .readWrite)
        try copy.execute("PRAGMA journal_mode = OFF; PRAGMA journal_mode = WAL")
    }

    /// Replaces the file by another.
    ///
    /// Closes every connection, has `exchange` put the other file in place, and opens that with its
    /// key. Nobody writes in the meantime.
    ///
    /// - Throws: `busy` if somebody else has the file open, and what `exchange` throws; the engine
    ///   then continues with the file that is in place.
    public func exchangeFile(_ exchange: () throws -> DatabaseFileLocation) throws {
        try readers.whileClosed {
            try stopWriting()
            do {
                try Self.verifyAlone(at: place)
                let place = try exchange()
                try resumeWriting(at: place)
                return readers.source.moved(to: place)
            } catch {
                if !isWritable { try resumeWriting(at: place) }
                throw error
            }
        }
    }

    /// - Throws: `busy` if another connection, of any process, has the file open.
    private static func verifyAlone(at place: DatabaseFileLocation) throws(StoreError) {
        let connection = try StoreConnection(place, mode: .readWrite)
        try connection.execute(
            "PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT; PRAGMA wal_checkpoint(TRUNCATE)"
        )
    }
}
