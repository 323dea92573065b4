import CouchbaseLiteSwift
import DivanCommandLine
import DivanHTTP
import DivanJSON
import DivanPlatform
import Foundation

/// The metrics of this process in Prometheus's text format, version 0.0.4.
///
/// They are those of the library, of the process, of the files of the databases, and the refused HTTP requests.
struct MetricsPage {
    private let served: [ServedDatabase]
    private let begin: Date
    private let refusals: Refusals
    private let displacedCount: UInt64?

    /// `displaced` counts HTTP connections that were closed to accept new ones; `nil` without REST.
    init(
        _ served: [ServedDatabase],
        since begin: Date,
        _ refusals: Refusals,
        displaced: UInt64?
    ) {
        self.served = served
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
        let version = VersionPage.version.replacing("\"", with: "")
        let build = family(
            "build_info",
            "gauge",
            "The version of the program.",
            [("{version=\"\(version)\"}", "1")]
        )
        let processor = family(
            "cpu_seconds_total",
            "counter",
            "Processor time of the process.",
            [("", "\(Double(ProcessorClock.process()) / 1e9)")]
        )
        return CouchbaseLiteSwift.metrics.text + build + gauges.joined() + processor + files
            + refused + displaced.orEmpty
    }

    /// The families about the files of the databases.
    private var files: String {
        // A page must not contain two samples with the same labels.
        var figures: [(name: String, figures: ServedDatabase.FileFigures)] = []
        for database in served {
            let (name, own) = (database.path.name, database.fileFigures())
            if let known = figures.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
                figures[known].figures.add(own)
            } else {
                figures.append((name, own))
            }
        }
        func gauge(
            _ name: String,
            _ help: String,
            _ value: (ServedDatabase.FileFigures) -> Int?
        ) -> String {
            let samples = figures.compactMap { database, figures in
                value(figures).map { ("{database=\"\(Self.escaped(database))\"}", "\($0)") }
            }
            return family(name, "gauge", help, samples)
        }
        return gauge("database_bytes", "Size of the database file.") { $0.databaseByteCount }
            + gauge("log_bytes", "Size of the write-ahead log.") { $0.logByteCount }
            + gauge("documents", "Documents that are not deleted.") { $0.documentCount }
            + gauge("conflicts", "Documents with unresolved conflicts.") { $0.conflictCount }
            + gauge("disk_free_bytes", "Free space of the disk.") { $0.freeByteCount }
    }

    private static func escaped(_ label: String) -> String {
        label.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("\n", with: "\\n")
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
