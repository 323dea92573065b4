import Divan
import ExampleTerminal
import Foundation

/// A server on which each user syncs their own notes: accounts-example DIRECTORY, until its input ends.
///
/// DIRECTORY contains `accounts.json`, such as `{"anna":"secret","bob":"other"}`. The program prints its addresses, and
/// the file with the certificate that clients pin. The user `boss` sees the notes of all, but cannot change them.
struct Accounts: Sendable {
    let file: URL

    /// Read each time, so that a new account needs no restart.
    func accept(_ user: String, _ password: String) async -> Bool {
        guard let data = try? Data(contentsOf: file),
            let accounts = try? JSONDecoder().decode([String: String].self, from: data)
        else { return false }
        return accounts[user] == password
    }
}

let words = Array(CommandLine.arguments.dropFirst())
guard words.count == 1 else {
    print("Usage: accounts-example DIRECTORY")
    exit(2)
}

do {
    let directory = URL(filePath: words[0], directoryHint: .isDirectory)
    let accounts = Accounts(file: directory.appending(path: "accounts.json"))
    let db = try Database.open("accounts", in: directory)
    _ = try db.collection("notes")  // all collections are shared
    var options = Listener.Options()
    options.identityStorage = .directory(directory.appending(path: "identities"))
    options.onRefusal = {
        Terminal.show("refused \($0.claimedUser ?? $0.address): \($0.explanation)")
    }
    let listener = try Listener.start(
        sharing: db,
        users: .passwords { user, password in await accounts.accept(user, password) },
        access: { client in
            client.user == "boss"
                ? .readOnly
                : .documents(where: "owner = $user", ["user": .init(client.user ?? "")])
        },
        options: options
    )
    let certificate = directory.appending(path: "accounts.pem")
    try Data((listener.certificate?.pem ?? "").utf8).write(to: certificate)
    for url in listener.urls { Terminal.show(url.absoluteString) }
    Terminal.show(certificate.path)
    for await _ in Terminal.lines {}
    listener.stop(reconnecting: true)
    try db.close()
} catch {
    print(error)
    exit(1)
}
