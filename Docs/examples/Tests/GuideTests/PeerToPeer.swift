import Divan
import Foundation

func syncOwn(
    _ notes: DocumentCollection,
    _ pictures: DocumentCollection,
    of user: String,
    with url: String,
    password: String
) -> Sync {
    let own = Sync.Filter.where("owner = $user", ["user": DocumentValue(user)])
    return Sync(
        notes.database,
        with: .url(url),
        collections: [Sync.Selection(notes, push: own), Sync.Selection(pictures)],
        credentials: .password(user, password)
    )
}

func serveOwn(_ db: Database, passwords: [String: String]) throws -> Listener {
    try Listener.start(
        sharing: db,
        users: .passwords(passwords),
        access: { client in
            client.user == "boss"
                ? .full : .documents(where: "owner = $user", ["user": .init(client.user ?? "")])
        }
    )
}

func follow(_ sync: Sync, _ show: (String) -> Void) async {
    for await status in sync.start() {
        let percent = Int(status.fractionCompleted * 100)
        show("\(status.activity.rawValue), \(percent) %")
        if let error = status.error { show("\(error)") }
        if let date = status.retryDate { show("connects again at \(date)") }
    }
}
