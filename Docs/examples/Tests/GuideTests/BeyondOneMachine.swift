import Divan
import Foundation

final class Hub: Sendable {
    private let listener: Listener
    private let upward: Sync

    /// Shares a database with devices, and syncs it with the next hub or Sync Gateway.
    init(
        sharing database: Database,
        users: Listener.Users,
        office: Sync.Target,
        login: Sync.Credentials = .none,
        options: Listener.Options = Listener.Options()
    ) async throws {
        listener = try await Listener.start(sharing: database, users: users, options: options)
        upward = Sync(database, with: office, credentials: login)
        upward.start()
    }

    /// The addresses for devices.
    var urls: [URL] { listener.urls }

    /// Stops, and asks devices to reconnect later.
    func close() async {
        await listener.stop(reconnecting: true)
        await upward.stop()
    }
}
