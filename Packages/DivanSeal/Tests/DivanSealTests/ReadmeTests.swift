import CDivanSeal
import DivanSeal
import DivanTestKit
import Testing

@Test("The README's example gives what it says")
func readme() throws {
    let home = try TemporaryDirectory()
    let path = home.file("notes.db")
    let seal = Seal(key: try SealKey())
    var connection: OpaquePointer?
    defer { sqlite3_close(connection) }
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    #expect(sqlite3_open_v2(path, &connection, flags, try seal.vfsName()) == SQLITE_OK)
    var count = Seal.reservedByteCount
    let code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_RESERVE_BYTES, &count)
    #expect(code == SQLITE_OK)
    let sql = "PRAGMA temp_store = MEMORY; PRAGMA journal_mode = WAL; CREATE TABLE t (a)"
    #expect(sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK)
    let content = Array("content".utf8)
    let sealer = try BlobSealer(seal)
    let digest = [UInt8](repeating: 0, count: 20)
    let file = try sealer.append(content.span) + sealer.finish(digest: digest)
    #expect(file.count == BlobLayout(byteCount: content.count).fileByteCount)
}
