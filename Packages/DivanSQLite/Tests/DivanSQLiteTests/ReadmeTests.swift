import DivanSQLite
import DivanTestKit
import Testing

@Test("The README example works")
func readme() throws {
    let home = try TemporaryDirectory()
    let path = home.file("notes.sqlite3")
    let file = SQLiteLocation(path)
    let connection = try SQLiteConnection(file, mode: .create, client: PlainSQLite())
    try connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE notes (text TEXT)")
    let insertion = try connection.prepare("INSERT INTO notes VALUES (?)")
    for text in ["bread", "salt"] {
        try insertion.bind(text, at: 1)
        try insertion.run()
    }
    let notes = try connection.prepare("SELECT rowid, text FROM notes ORDER BY text")
    defer { notes.reset() }
    while try notes.step() {
        #expect(["1: bread", "2: salt"].contains("\(notes.integer(0)): \(notes.text(1))"))
    }
}
