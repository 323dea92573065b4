import CouchbaseLiteSwift

func syncMenu() async throws {
    // The shop listens with TLS and its own certificate, and requires a password.
    let shop = try Database(name: "shop")
    let menu = try shop.createCollection(name: "menu")
    try menu.save(document: MutableDocument(id: "soup", data: ["name": "Lentil", "price": 4.5]))
    var sharing = URLEndpointListenerConfiguration(collections: [menu])
    sharing.networkInterface = "127.0.0.1"  // default: all interfaces
    sharing.authenticator = ListenerPasswordAuthenticator { $0 == "kiosk" && $1 == "secret" }
    let listener = URLEndpointListener(config: sharing)
    try listener.start()

    // A kiosk, usually another machine, pulls and pushes until both are up to date.
    guard let url = listener.urls?.first else { return }
    let kiosk = try Database(name: "kiosk")
    let copy = try kiosk.createCollection(name: "menu")
    let collections = [CollectionConfiguration(collection: copy)]
    var config = ReplicatorConfiguration(collections: collections, target: URLEndpoint(url: url))
    config.authenticator = BasicAuthenticator(username: "kiosk", password: "secret")
    config.pinnedServerCertificate = listener.tlsIdentity?.certs.first
    try await Replicator(config: config).run()
    print(try copy.document(id: "soup")?.string(forKey: "name") ?? "no soup")
}
