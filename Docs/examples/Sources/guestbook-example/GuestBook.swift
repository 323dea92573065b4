import CouchbaseLiteSwift
import Foundation

/// The entries of a guest book, in sync with those on other machines.
final class GuestBook {
    struct Entry: Codable {
        var name: String
        var text: String
        var date: Date
    }

    private let directory: String
    private let entries: Collection
    private var listener: URLEndpointListener?

    init(directory: String) throws {
        self.directory = directory
        TLSIdentity.storeDirectory = directory + "/identities"
        var config = DatabaseConfiguration()
        config.directory = directory
        entries = try Database(name: "guestbook", config: config).createCollection(name: "entries")
    }

    /// Saves an entry under a random ID, so that two machines never choose the same one.
    func sign(_ name: String, _ text: String) throws {
        var entry = TypedDocument(Entry(name: name, text: text, date: Date()))
        try entries.save(&entry)
    }

    /// All entries, oldest first.
    func lines() throws -> [String] {
        try entries.documents(of: Entry.self, orderBy: \.date).all()
            .map { "\($0.content.name): \($0.content.text)" }
    }

    /// Accepts peers; returns the URLs, and the path of the certificate that peers pin.
    func share(password: String) throws -> [String] {
        var config = URLEndpointListenerConfiguration(collections: [entries])
        config.authenticator = ListenerPasswordAuthenticator { user, shown in
            user == "guest" && shown == password
        }
        let listener = URLEndpointListener(config: config)
        try listener.start()
        self.listener = listener
        let file = directory + "/certificate.pem"
        let certificate = listener.tlsIdentity?.certs.first?.pem ?? ""
        try certificate.write(toFile: file, atomically: true, encoding: .utf8)
        return (listener.urls ?? []).map(\.absoluteString) + [file]
    }

    /// Pushes and pulls until both machines have the same entries.
    func sync(with address: String, pinning file: String, password: String) async throws {
        var config = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: entries)],
            target: try URLEndpoint(validating: address)
        )
        config.authenticator = BasicAuthenticator(username: "guest", password: password)
        config.pinnedServerCertificate = try TLSCertificate(
            pem: String(contentsOfFile: file, encoding: .utf8)
        )
        try await Replicator(config: config).run()
    }
}
