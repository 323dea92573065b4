import Divan
import Foundation

struct Chore: Codable, Identifiable, Sendable {
    var id: String
    var title: String
    var isDone = false
}

func saveChore(in chores: DocumentCollection) throws {
    try chores.save(Chore(id: "milk", title: "Buy milk"))
    // Reads, changes and saves; again if the document was changed meanwhile.
    try chores.update("milk", as: Chore.self) { $0.isDone = true }
    print(try chores.get("milk", as: Chore.self)?.title ?? "no milk")
}

func replaceChores(in chores: DocumentCollection) throws {
    // One transaction: all of them are saved, or none.
    try chores.save([Chore(id: "milk", title: "Buy milk"), Chore(id: "bread", title: "Buy bread")])
    for old in try chores.documents(where: #Predicate<Chore> { $0.isDone }).all() {
        try chores.delete(old)
    }
}

func rename(_ chore: inout Document, to title: String, in chores: DocumentCollection) throws {
    chore.title = title
    // Throws DivanError.conflict if the document was changed since it was read.
    chore = try chores.save(chore, ifRevision: chore.revision)
}

struct DatedChore: Codable, Identifiable, Sendable {
    var id: String
    var title: String
    var isDone: Bool
    // New and optional: older documents do not have it.
    var dueDate: Date?
    // New, with a default for older documents.
    var minutes: Int

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        id = try values.decode(String.self, forKey: .id)
        title = try values.decode(String.self, forKey: .title)
        isDone = try values.decode(Bool.self, forKey: .isDone)
        dueDate = try values.decodeIfPresent(Date.self, forKey: .dueDate)
        minutes = try values.decodeIfPresent(Int.self, forKey: .minutes) ?? 15
    }
}

struct RenamedChore: Codable, Identifiable, Sendable {
    var id: String
    var summary: String
    var isDone: Bool

    enum CodingKeys: String, CodingKey {
        case summary = "title"  // documents and older programs keep using this key
        case id, isDone
    }
}

func titles(of chores: DocumentCollection) throws -> [String] {
    try chores.documents(of: Chore.self, orderBy: \.title)
        .all(skippingInvalid: { id, error in print("\(id) is left out: \(error)") })
        .map(\.title)
}

func countInCents(_ dishes: DocumentCollection) throws {
    for id in try dishes.ids() {
        try dishes.database.write { _ in
            // A sync may have replaced or deleted it since it was listed.
            guard var dish = try dishes.get(id), let price = dish.price?.double,
                let cents = Int(exactly: (price * 100).rounded())
            else { return }
            dish.cents = cents
            dish.price = nil
            try dishes.save(dish)
        }
    }
}

func migrate(_ shop: Database) throws {
    let dishes = try shop.collection("dishes")
    let ran = try shop.migrate([
        .init("prices in cents") { _ in try countInCents(dishes) },
        .init("index of cents") { _ in try dishes.createIndex("byCents", .values("cents")) },
    ])
    print("ran now:", ran)
}

struct Status: RawRepresentable, Codable, Hashable, Sendable {
    var rawValue: String
    static let open = Status(rawValue: "open")
    static let closed = Status(rawValue: "closed")
}

struct Inspection: Codable, Identifiable, Sendable {
    var id: UUID
    var site: String
    var status = Status.open
}

func openInspections(in inspections: DocumentCollection) throws -> [Inspection] {
    let open = Status.open
    return try inspections.documents(where: #Predicate<Inspection> { $0.status == open }).all()
}

func tidyUp(_ chores: DocumentCollection) throws {
    // Deletes it everywhere: the deletion is synced.
    try chores.delete("milk")
    // Removes it and its history from this database only.
    try chores.purge("milk")
    // Purges it a week from now.
    try chores.expire("bread", after: .seconds(7 * 86_400))
    // Deletes all documents of a query.
    try chores.documents(where: #Predicate<Chore> { $0.isDone }).delete()
}
