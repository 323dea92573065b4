import Divan

func openNotes(in directory: String) throws -> Database {
    var config = DatabaseConfiguration()
    config.directory = directory
    config.encryptionKey = .credential("notes")
    return try Database(name: "notes", config: config)
}

func changeKey(of notes: Database, to file: String) throws {
    try notes.changeEncryptionKey(.file(file))  // nil decrypts
}
