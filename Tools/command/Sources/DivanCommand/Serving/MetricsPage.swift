import CouchbaseLiteSwift
import DivanCommandLine
import DivanHTTP
import DivanJSON
import DivanPlatform
import Foundation

/// The metrics of this process in Prometheus's text format, version 0.0.4: those of the library, the start time, the
/// memory, and the refused HTTP requests.
struct MetricsPage {
    private let begin: Date
    private let refusals: Refusals
    private let displacedCount: UInt64?

    /// `displaced` counts HTTP connections that were closed to accept new ones; `nil` without REST.
    init(since begin: Date, _ refusals: Refusals, displaced: UInt64?) {
        self.begin = begin
        self.refusals = refusals
        displacedCount = displaced
    }

    var response: HTTPResponse {
        HTTPResponse(
            contentType: "text/plain; version=0.0.4; charset=utf-8",
            Array(text.utf8)
        )
    }

    private var text: String {
        let own: [(name: String, help: String, value: Double)] = [
            (
                "start_time_seconds", "Start time of the process.",
                begin.timeIntervalSince1970.rounded()
            ),
            ("resident_memory_bytes", "Resident memory of the process.", Self.memory),
        ]
        let gauges = own.map { name, help, value in
            family(name, "gauge", help, [("", "\(Int64(value))")])
        }
        let refused = family(
            "http_refusals_total",
            "counter",
            "Refused HTTP requests, by response status.",
            refusals.countByStatusOverHTTP.sorted { $0.key < $1.key }
                .map { ("{status=\"\($0.key)\"}", "\($0.value)") }
        )
        let displaced = displacedCount.map { count in
            family(
                "http_displaced_connections_total",
                "counter",
                "HTTP connections closed to accept new ones.",
                [("", "\(count)")]
            )
        }
        return CouchbaseLiteSwift.metrics.text + gauges.joined() + refused + displaced.orEmpty
    }

    private func family(
        _ name: String,
        _ type: String,
        _ help: String,
        _ samples: [(labels: String, value: String)]
    ) -> String {
        let head = "# HELP divan_\(name) \(help)\n# TYPE divan_\(name) \(type)\n"
        return head + samples.map { "divan_\(name)\($0.labels) \($0.value)\n" }.joined()
    }

    /// The second field of proc(5)'s statm, in pages.
    private static var memory: Double {
        let statm = (try? InputFile("/proc/self/statm").rest(limit: 1 << 10)) ?? []
        let fields = String(decoding: statm, as: UTF8.self).split(separator: " ")
        let pages = fields.dropFirst().first.flatMap { Double($0) } ?? 0
        return pages * Double(CurrentProcess.pageByteCount)
    }
}

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
