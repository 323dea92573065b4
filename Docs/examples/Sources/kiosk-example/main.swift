import Divan
import ExampleTerminal
import Foundation

/// A kiosk that shows the menu of a restaurant: kiosk-example DIRECTORY URL CERTIFICATE PASSWORD, until its input ends.
///
/// It shows the menu that it has as soon as it starts, also without a network, and again after each change.
struct Dish: Codable, Identifiable, Sendable {
    var id: String
    var name: String
    var price: Double
    var isSoldOut = false

    var line: String { isSoldOut ? "\(name): sold out" : "\(name): \(price)" }
}

let words = Array(CommandLine.arguments.dropFirst())
guard words.count == 4 else {
    print("Usage: kiosk-example DIRECTORY URL CERTIFICATE PASSWORD")
    exit(2)
}

do {
    let db = try Database.open("kiosk", in: URL(filePath: words[0]))
    let menu = try db.collection("menu")
    let certificate = try Certificate(contentsOf: URL(filePath: words[2]))
    let sync = Sync(
        db,
        with: .url(words[1]),
        direction: .pull,
        credentials: .password("kiosk", words[3]),
        trust: .pinned(certificate)
    )

    let screen = Task {
        for try await dishes in menu.live(of: Dish.self, orderBy: \.name) {
            Terminal.show(dishes.map(\.line).joined(separator: ", "))
        }
    }
    let display = Task {
        for await status in sync.start() {
            if status.isIdle { Terminal.show("up to date") }
            if let error = status.error { Terminal.show("offline: \(error)") }
        }
    }
    for await _ in Terminal.lines {}
    display.cancel()  // stops the sync
    _ = await display.value
    try db.close()  // ends the live query
    try await screen.value
} catch {
    print(error)
    exit(1)
}
