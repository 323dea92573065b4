import DivanJSON
import DivanMesh
import DivanMeshPeer
import Foundation

/// One stay of a database in a mesh: a running peer, registered with its database.
///
/// Closing the database ends it.
final class MeshService: Sendable {
    let peer: MeshPeer
    private let settings: MeshSettings
    private let runEnd = ServiceEnd()
    private let begin = Date()

    /// Prepares a stay; `onEvent` is called with each event, one at a time, after `start()`.
    init(
        _ settings: MeshSettings,
        onEvent: @escaping @Sendable (MeshPeerEvent) -> Void
    ) throws {
        self.settings = settings
        let store = try settings.database.openStore()
        let (end, database) = (runEnd, settings.database)
        let stay = WeakList<MeshService>()
        let configuration = try settings.configuration { event in
            onEvent(event)
            guard case .stopped = event else { return }
            for service in stay.all { database.unregister(service) }
            end.ended()
        }
        peer = try MeshPeer(store: store, configuration: configuration)
        stay.add(self)
    }

    /// Joins the mesh.
    func start() throws {
        try settings.database.register(self)
        runEnd.began()
        do {
            try peer.start()
        } catch {
            settings.database.unregister(self)
            runEnd.ended()
            throw error
        }
    }

    /// Leaves it; `stopped` follows.
    func stop() { peer.stop() }
}

extension MeshService: DatabaseService {
    func beginStop() { stop() }

    func waitForStop() { runEnd.wait() }

    var report: (@Sendable () -> JSONObject)? {
        let report = MeshReport(peer, settings, since: begin)
        return { report.members }
    }
}
