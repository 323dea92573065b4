import CouchbaseLiteSwift
import Foundation

func openNotes(in directory: String) throws -> Database {
    var config = DatabaseConfiguration()
    config.directory = directory
    config.encryptionKey = .credential("notes")
    return try Database(name: "notes", config: config)
}

func changeKey(of notes: Database, to file: String) throws {
    try notes.changeEncryptionKey(.file(file))  // nil decrypts
}

func saveEmployee(in people: Collection) throws {
    let ada = MutableDocument(id: "ada", data: ["name": "Ada"])
    ada.setEncryptable(Encryptable("123-45-6789"), forKey: "ssn")
    try people.save(document: ada)
}

func replicate(_ people: Collection, with url: URL, key: EncryptionKey) async throws {
    let collections = [CollectionConfiguration(collection: people)]
    var config = ReplicatorConfiguration(
        collections: collections,
        target: URLEndpoint(url: url)
    )
    let keys = try PropertyKeys(current: "2026", keys: ["2026": key])
    config.documentPropertyEncryptor = keys.encryptor
    config.documentPropertyDecryptor = keys.decryptor
    try await Replicator(config: config).run()
}
