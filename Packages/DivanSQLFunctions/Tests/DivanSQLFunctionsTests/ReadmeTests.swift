import CDivanSQLFunctions
import DivanSQLFunctions
import Testing

@Test("The README's example gives what it says")
func readme() throws {
    let scratch = try Scratch()
    #expect(try scratch.value(#"divan_value1('{"name":"Oslo"}', '.name')"#) == "'Oslo'")
    #expect(try scratch.rows("SELECT value FROM divan_items1(x'5b312c325d')") == [["1"], ["2"]])
    #expect(SQLFunctions.unicodeVersion.contains("."))
}
