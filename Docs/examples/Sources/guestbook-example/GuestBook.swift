import Divan
import Foundation

/// The entries of a guest book, in sync with those on other machines.
struct GuestBook {
    struct Entry: Codable, Identifiable {
        /// Random, so that two machines never choose the same one.
        var id = UUID()
        var name: String
        var text: String
        var date = Date()
    }

    private let directory: URL
    private let database: Database
    private let entries: DocumentCollection

    init(directory: String) throws {
        self.directory = URL(filePath: directory)
        database = try Database.open("guestbook", in: self.directory)
        entries = try database.collection("entries")
    }

    func sign(_ name: String, _ text: String) throws {
        try entries.save(Entry(name: name, text: text))
    }

    /// All entries, oldest first.
    func lines() throws -> [String] {
        try entries.documents(of: Entry.self, orderBy: \.date).all()
            .map { "\($0.name): \($0.text)" }
    }

    /// Accepts peers; returns the URLs, and the path of the certificate that peers pin.
    func share(password: String) throws -> [String] {
        var options = Listener.Options()
        options.identityStorage = .directory(directory.appending(path: "identities"))
        let users = Listener.Users.passwords(["guest": password])
        let listener = try Listener.start(sharing: database, users: users, options: options)
        let file = directory.appending(path: "certificate.pem")
        try Data((listener.certificate?.pem ?? "").utf8).write(to: file)
        return listener.urls.map(\.absoluteString) + [file.relativePath]
    }

    /// Pushes and pulls until both machines have the same entries.
    func sync(with address: String, pinning file: String, password: String) async throws {
        let sync = Sync(
            database,
            with: .url(address),
            credentials: .password("guest", password),
            trust: .pinned(try Certificate(contentsOf: URL(filePath: file)))
        )
        try await sync.run()
    }
}
