import Divan
import Foundation

/// A person as the first version of a program saved it.
struct OldPerson: Codable, Identifiable, Sendable {
    var id: String
    var name: String
}

/// The same person in the second version, which also reads documents of the first.
struct Person: Codable, Identifiable, Sendable {
    var id: String
    var firstName: String
    var lastName: String

    private enum Key: CodingKey { case id, name, firstName, lastName }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        id = try values.decode(String.self, forKey: .id)
        let name = try values.decodeIfPresent(String.self, forKey: .name) ?? ""
        let parts = name.split(separator: " ").map(String.init)
        firstName = try values.decodeIfPresent(String.self, forKey: .firstName) ?? parts.first ?? ""
        lastName = try values.decodeIfPresent(String.self, forKey: .lastName) ?? parts.last ?? ""
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(id, forKey: .id)
        try values.encode(firstName, forKey: .firstName)
        try values.encode(lastName, forKey: .lastName)
    }
}

/// Migrates all documents of the first version, once in each database.
func run() throws {
    let db = try Database.inMemory()
    let people = try db.collection("people")
    try people.save(OldPerson(id: "ada", name: "Ada Lovelace"))
    // Another program has added a property that neither version has.
    try people.update("ada") { $0.born = 1815 }

    try db.migrate([
        .init("first and last names") { transaction in
            let old = try transaction.query("SELECT META().id FROM people WHERE name IS VALUED")
            for id in try old.values(as: String.self) {
                try people.update(id, as: Person.self) { _ in }
            }
        }
    ])
    print(try people.get("ada")?.json ?? "none")
}

do {
    try run()
} catch {
    print(error)
    exit(1)
}
