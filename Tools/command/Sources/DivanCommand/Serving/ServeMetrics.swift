import CouchbaseLiteSwift
import DivanCommandLine
import DivanHTTP
import DivanPlatform
import DivanREST
import DivanStatus
import Foundation

/// The metrics of `divan serve` in Prometheus's text format, version 0.0.4.
///
/// They are those of the library, of the process, of the files of the databases, and of the REST interface.
struct ServeMetrics {
    let served: [ServedDatabase]
    let replications: [ServedReplication]
    let rest: RESTListener?
    let refusals: Refusals
    let begin: Date

    var response: HTTPResponse {
        HTTPResponse(
            contentType: "text/plain; version=0.0.4; charset=utf-8",
            Array(text.utf8)
        )
    }

    private var text: String {
        var page = MetricsPage()
        addProcess(to: &page)
        addFiles(to: &page)
        addReplications(to: &page)
        addREST(to: &page)
        return CouchbaseLiteSwift.metrics.text + page.text
    }

    private func addProcess(to page: inout MetricsPage) {
        page.add(
            "build_info",
            .gauge,
            "The version of the program.",
            [([("version", VersionPage.version)], 1)]
        )
        page.add(
            "start_time_seconds",
            .gauge,
            "Start time of the process.",
            [([], begin.timeIntervalSince1970.rounded())]
        )
        page.add(
            "resident_memory_bytes",
            .gauge,
            "Resident memory of the process.",
            [([], Self.memory)]
        )
        page.add(
            "cpu_seconds_total",
            .counter,
            "Processor time of the process.",
            [([], Double(ProcessorClock.process()) / 1e9)]
        )
    }

    private func addFiles(to page: inout MetricsPage) {
        let figures = served.map { (database: $0.path.name, figures: $0.fileFigures()) }
        func gauge(
            _ name: String,
            _ help: String,
            joining join: (Double, Double) -> Double = { $0 + $1 },
            _ value: (ServedDatabase.FileFigures) -> Int?
        ) {
            let samples = figures.compactMap { database, figures -> MetricsPage.Sample? in
                value(figures).map { ([("database", database)], Double($0)) }
            }
            page.add(name, .gauge, help, samples, joining: join)
        }
        gauge("database_bytes", "Size of the database file.") { $0.databaseByteCount }
        gauge("log_bytes", "Size of the write-ahead log.") { $0.logByteCount }
        gauge("documents", "Documents that are not deleted.") { $0.documentCount }
        gauge("conflicts", "Documents with unresolved conflicts.") { $0.conflictCount }
        gauge("disk_free_bytes", "Free space of the disk.", joining: min) { $0.freeByteCount }
    }

    private func addReplications(to page: inout MetricsPage) {
        page.add(
            "replicator_pending_documents",
            .gauge,
            "Documents that are not pushed yet.",
            replications.compactMap { replication in
                replication.pendingCount.map { (replication.labels, Double($0)) }
            }
        )
    }

    private func addREST(to page: inout MetricsPage) {
        page.add(
            "http_refusals_total",
            .counter,
            "Refused HTTP requests, by response status.",
            refusals.countByStatusOverHTTP.sorted { $0.key < $1.key }
                .map { ([("status", "\($0.key)")], Double($0.value)) }
        )
        guard let rest else { return }
        page.add(
            "http_displaced_connections_total",
            .counter,
            "HTTP connections closed to accept new ones.",
            [([], Double(rest.displacedConnectionCount))]
        )
        page.add(
            "http_request_duration_seconds",
            "Time until a request over HTTP was answered.",
            rest.latencies.map { latency in
                MetricsPage.Histogram(
                    labels: [
                        ("route", latency.route), ("method", latency.method),
                        ("status", latency.statusClass),
                    ],
                    bounds: RESTLatency.bounds,
                    counts: latency.counts,
                    sum: latency.seconds
                )
            }
        )
    }

    /// The second field of proc(5)'s statm, in pages.
    private static var memory: Double {
        let statm = (try? InputFile("/proc/self/statm").rest(limit: 1 << 10)) ?? []
        let fields = String(decoding: statm, as: UTF8.self).split(separator: " ")
        let pages = fields.dropFirst().first.flatMap { Double($0) } ?? 0
        return pages * Double(CurrentProcess.pageByteCount)
    }
}
