import Divan
import Foundation

struct Dish: Codable, Identifiable, Sendable {
    var id: String
    var name: String
    var price: Double
}

func keepMenu(in directory: URL) throws {
    // Without `in`: ~/.local/share/CouchbaseLite
    let shop = try Database.open("shop", in: directory)
    let menu = try shop.collection("menu")
    try menu.save(Dish(id: "soup", name: "Lentil soup", price: 4.5))
    try menu.update("soup", as: Dish.self) { $0.price = 4.8 }
    if let soup = try menu.get("soup", as: Dish.self) {
        print("\(try menu.count()) dish, \(soup.price) for the soup")
    }
    try shop.close()
}

func waitForOneChange(in menu: DocumentCollection) async throws -> [String] {
    var changes = menu.changes.makeAsyncIterator()
    try await menu.save(Dish(id: "tea", name: "Mint tea", price: 2))
    return await changes.next()?.ids ?? []
}
