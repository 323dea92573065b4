import Divan
import Foundation

func openNotes(in directory: URL) throws -> Database {
    try Database.open("notes", in: directory, .init(key: .credential("notes")))
}

func changeKey(of notes: Database, to file: URL) throws {
    try notes.changeKey(.file(file))  // nil decrypts
}

func saveEmployee(in people: DocumentCollection) throws {
    let ada = Document(id: "ada", ["name": "Ada", "ssn": .encryptable("123-45-6789")])
    try people.save(ada)
}

func sync(_ database: Database, with url: URL, key: EncryptionKey) async throws {
    var options = Sync.Options()
    options.fieldKeys = try FieldKeys(current: "2026", ["2026": key])
    try await Sync(database, with: url, options: options).run()
}
