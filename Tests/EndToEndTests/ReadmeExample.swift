import Divan

struct Dish: Codable, Identifiable, Sendable {
    var id: String
    var name: String
    var price: Double
}

func syncMenu() async throws {
    // The shop listens with TLS and its own certificate, and requires a password.
    let shop = try await Database.open("shop")
    let menu = try await shop.collection("menu")
    try await menu.save(Dish(id: "soup", name: "Lentil", price: 4.5))
    let users = Listener.Users.passwords(["kiosk": "secret"])
    let listener = try await Listener.start(sharing: shop, users: users)

    // A kiosk, usually another machine, pulls and pushes until both are up to date.
    guard let url = listener.localURL, let certificate = listener.certificate else { return }
    let kiosk = try await Database.open("kiosk")
    let copy = try await kiosk.collection("menu")
    let login = Sync.Credentials.password("kiosk", "secret")
    try await Sync(kiosk, with: url, credentials: login, trust: .pinned(certificate)).run()
    print(try await copy.get("soup", as: Dish.self)?.name ?? "no soup")
}
