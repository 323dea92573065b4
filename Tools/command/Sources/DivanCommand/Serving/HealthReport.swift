import CouchbaseLiteSwift
import DivanHTTP
import DivanJSON
import Foundation

/// Whether every listener listens.
struct HealthReport {
    private let served: [ServedDatabase]
    private let begin: Date

    init(_ served: [ServedDatabase], since begin: Date) {
        self.served = served
        self.begin = begin
    }

    /// 200 if every listener listens.
    var response: HTTPResponse {
        HTTPResponse(
            status: isHealthy ? 200 : 503,
            contentType: "application/json",
            Array((json.canonicalText + "\n").utf8)
        )
    }

    private var isHealthy: Bool { served.allSatisfy { $0.listener.port != nil } }

    private var json: JSON {
        let databases = served.map { database in
            (key: database.path.name, value: JSON.string(state(database)))
        }
        return [
            "status": .string(isHealthy ? "ok" : "down"),
            "databases": .object(JSONObject(databases)),
            "uptimeSeconds": JSON(Int(-begin.timeIntervalSinceNow)),
            "version": .string(VersionPage.version),
        ]
    }

    private func state(_ database: ServedDatabase) -> String {
        database.listener.port == nil ? "stopped" : "listening"
    }
}
