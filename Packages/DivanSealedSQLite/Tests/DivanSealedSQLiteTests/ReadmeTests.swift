import CDivanSealedSQLite
import DivanSeal
import DivanSealedSQLite
import DivanTestKit
import Testing

@Test("The README example works")
func readme() throws {
    let home = try TemporaryDirectory()
    let path = home.file("notes.db")

    let vfs = SealedVFS(Seal(key: try SealKey()))
    var connection: OpaquePointer?
    defer { sqlite3_close(connection) }
    sqlite3_open_v2(
        path,
        &connection,
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
        try vfs.name()
    )
    var count = SealedVFS.reservedByteCount  // before the first page is written
    sqlite3_file_control(connection, "main", SQLITE_FCNTL_RESERVE_BYTES, &count)
    sqlite3_exec(connection, "PRAGMA temp_store = MEMORY; PRAGMA journal_mode = WAL", nil, nil, nil)
    #expect(sqlite3_exec(connection, "CREATE TABLE t (a)", nil, nil, nil) == SQLITE_OK)
}
