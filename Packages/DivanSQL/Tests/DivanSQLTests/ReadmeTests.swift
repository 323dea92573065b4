import CDivanSQLFunctions
import DivanSQLFunctions
import Testing

@Test("The README example works")
func readme() throws {
    var isAdded = false
    defer { #expect(isAdded) }
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    sqlite3_open(":memory:", &handle)
    guard let connection = handle, SQLFunctions.add(to: connection) == SQLITE_OK else { return }
    isAdded = true

    let scratch = try Scratch()
    #expect(try scratch.value(#"divan_value1('{"name":"Oslo"}', '.name')"#) == "'Oslo'")
    #expect(try scratch.rows("SELECT value FROM divan_items1(x'5b312c325d')") == [["1"], ["2"]])
    #expect(SQLFunctions.unicodeVersion.contains("."))
}
