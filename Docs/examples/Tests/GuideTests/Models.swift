import CouchbaseLiteSwift
import Foundation

struct Chore: Codable, Sendable {
    var title: String
    var isDone = false
}

func saveChore(in chores: Collection) throws {
    var milk = TypedDocument(id: "milk", Chore(title: "Buy milk"))
    try chores.save(&milk)

    guard var again = try chores.typedDocument(id: "milk", of: Chore.self) else { return }
    again.content.isDone = true
    try chores.save(&again)
}

func finish(_ chore: inout TypedDocument<Chore>, in chores: Collection) throws -> Bool {
    chore.content.isDone = true
    // false: the document was changed since it was read, so nothing was saved.
    return try chores.save(&chore, concurrencyControl: .failOnConflict)
}

struct DatedChore: Codable, Sendable {
    var title: String
    var isDone: Bool
    // New and optional: older documents do not have it.
    var dueDate: Date?
    // New, with a default for older documents.
    var minutes: Int

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        title = try values.decode(String.self, forKey: .title)
        isDone = try values.decode(Bool.self, forKey: .isDone)
        dueDate = try values.decodeIfPresent(Date.self, forKey: .dueDate)
        minutes = try values.decodeIfPresent(Int.self, forKey: .minutes) ?? 15
    }
}

struct RenamedChore: Codable, Sendable {
    var summary: String
    var isDone: Bool

    enum CodingKeys: String, CodingKey {
        case summary = "title"  // documents and older programs keep using this key
        case isDone
    }
}

func countInCents(_ dishes: Collection) async throws {
    for try await dish in dishes.documents() where dish.contains(key: "price") {
        try await dishes.background.update(id: dish.id) { dish in
            // A sync may have replaced it since it was listed.
            guard let cents = Int(exactly: (dish.double(forKey: "price") * 100).rounded()),
                dish.contains(key: "price")
            else { return }
            dish.setInt(cents, forKey: "cents")
            dish.removeValue(forKey: "price")
        }
    }
}
