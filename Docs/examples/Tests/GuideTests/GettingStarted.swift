import CouchbaseLiteSwift

func keepMenu(in directory: String) throws {
    var config = DatabaseConfiguration()
    config.directory = directory  // default: ~/.local/share/CouchbaseLite
    let database = try Database(name: "shop", config: config)
    let menu = try database.createCollection(name: "menu")

    // Saving updates the object, so it can be changed and saved again.
    let soup = MutableDocument(id: "soup", data: ["name": "Lentil soup", "price": 4.5])
    try menu.save(document: soup)
    soup["price"].value = 4.8
    try menu.save(document: soup)

    // Documents that are read are immutable; toMutable() returns a mutable copy.
    let price = try menu.document(id: "soup")?.double(forKey: "price") ?? 0
    print("\(menu.count) dish, \(price) for the soup")
    try database.close()
}

func waitForOneChange(in menu: Collection) async throws -> [String] {
    let changes = menu.changes()
    try menu.save(document: MutableDocument(id: "tea", data: ["name": "Mint tea"]))
    for await change in changes { return change.documentIDs }
    return []
}

func share(_ menu: Collection) throws -> URLEndpointListener {
    var config = URLEndpointListenerConfiguration(collections: [menu])
    config.networkInterface = "127.0.0.1"  // default: all interfaces
    config.authenticator = ListenerPasswordAuthenticator { user, password in
        user == "kiosk" && password == "secret"
    }
    let listener = URLEndpointListener(config: config)
    try listener.start()
    return listener
}

func sync(
    _ copy: Collection,
    with address: String,
    pinning certificate: SecCertificate?
) async throws {
    var config = ReplicatorConfiguration(
        collections: [CollectionConfiguration(collection: copy)],
        target: try URLEndpoint(validating: address)
    )
    config.authenticator = BasicAuthenticator(username: "kiosk", password: "secret")
    config.pinnedServerCertificate = certificate
    try await Replicator(config: config).run()
}
