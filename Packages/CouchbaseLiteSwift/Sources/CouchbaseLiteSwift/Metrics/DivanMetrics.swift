import DivanStatus
import Foundation
import Synchronization

/// The metrics of this process; `CouchbaseLiteSwift.metrics.text` is in Prometheus format.
///
/// Takes less than a millisecond for hundreds of replicators. Can be used from any thread. An addition to the official
/// API.
///
/// ```swift
/// server.get("/metrics") { _ in CouchbaseLiteSwift.metrics.text }
/// ```
public var metrics: DivanMetrics { DivanMetrics() }

/// The metrics of this process's databases, replicators and listeners; see ``metrics``.
public struct DivanMetrics: Sendable {
    /// All metrics in the Prometheus text format, version 0.0.4 (`text/plain; version=0.0.4; charset=utf-8`).
    ///
    /// Listeners are identified by their database, replicators by database, target and type. Values with the same
    /// labels are added. The counters of replicators that no longer exist are kept.
    public var text: String {
        var page = MetricsPage()
        page.add("databases", .gauge, "Open databases.", [([], openDatabaseCount)])
        let runs = LiveQuery.runCount.load(ordering: .relaxed)
        page.add(
            "live_query_runs_total",
            .counter,
            "Runs of live queries.",
            [([], Double(runs))]
        )
        addListeners(to: &page)
        addReplicators(to: &page)
        return page.text
    }

    private var openDatabaseCount: Double {
        Double(Database.living.all.count { $0.isOpen })
    }

    // MARK: Listeners

    private typealias ListenerReading = (
        label: [MetricsPage.Label], listener: URLEndpointListener,
        figures: URLEndpointListener.Statistics
    )

    private func addListeners(to page: inout MetricsPage) {
        let readings: [ListenerReading] = URLEndpointListener.living.all
            .filter { $0.port != nil }
            .map { ([("database", $0.config.home.name)], $0, $0.statistics) }
        func gauge(_ name: String, _ help: String, _ value: (URLEndpointListener) -> UInt64) {
            page.add(name, .gauge, help, readings.map { ($0.label, Double(value($0.listener))) })
        }
        gauge("connections", "Connected peers.") { $0.status.connectionCount }
        gauge("active_connections", "Connected peers that are exchanging documents.") {
            $0.status.activeConnectionCount
        }
        gauge("stalled_connections", "Connected peers that are not answering in time.") {
            UInt64($0.connections.count { $0.stall != nil })
        }
        addCounters(of: readings, to: &page)
        addRefusals(of: readings, to: &page)
        page.add(
            "certificate_expiry_timestamp_seconds",
            .gauge,
            "Expiry time of the listener's certificate.",
            readings.compactMap { label, listener, _ in
                listener.tlsIdentity?.certs.first.map {
                    (label, $0.notAfter.timeIntervalSince1970)
                }
            },
            joining: min
        )
    }

    private func addCounters(of readings: [ListenerReading], to page: inout MetricsPage) {
        typealias Figures = URLEndpointListener.Statistics
        func counter(_ name: String, _ help: String, _ value: (Figures) -> UInt64) {
            page.add(name, .counter, help, readings.map { ($0.label, Double(value($0.figures))) })
        }
        counter("sent_documents_total", "Documents sent.") { $0.sentDocumentCount }
        counter("received_documents_total", "Documents received.") { $0.receivedDocumentCount }
        counter("failed_documents_total", "Documents that failed to sync.") {
            $0.failedDocumentCount
        }
        counter("sent_bytes_total", "Bytes sent on the network.") { $0.sentByteCount }
        counter("received_bytes_total", "Bytes received from the network.") { $0.receivedByteCount }
        counter("sent_deltas_total", "Documents sent as deltas.") { $0.sentDeltas.count }
        counter("received_deltas_total", "Documents received as deltas.") {
            $0.receivedDeltas.count
        }
        counter("delta_saved_bytes_total", "Bytes saved by deltas.") {
            $0.sentDeltas.savedByteCount + $0.receivedDeltas.savedByteCount
        }
        counter("failed_handshakes_total", "Sockets that failed before the connection was open.") {
            $0.failedHandshakeCount
        }
        counter(
            "displaced_connections_total",
            "Connections closed because the connection limit was reached."
        ) {
            $0.displacedConnectionCount
        }
    }

    private func addRefusals(of readings: [ListenerReading], to page: inout MetricsPage) {
        page.add(
            "connections_total",
            .counter,
            "Connections by the compression that this side uses.",
            readings.flatMap { label, _, figures in
                figures.connectionCountByCompression.sorted { $0.key < $1.key }
                    .map { (label + [("compression", $0.key)], Double($0.value)) }
            }
        )
        page.add(
            "refusals_total",
            .counter,
            "Refused requests by HTTP status.",
            readings.flatMap { label, _, figures in
                figures.refusalCountByStatus.sorted { $0.key < $1.key }
                    .map { (label + [("status", "\($0.key)")], Double($0.value)) }
            }
        )
    }

    // MARK: Replicators

    private func addReplicators(to page: inout MetricsPage) {
        let living = Replicator.living.all.map { replicator in
            (
                label: replicator.label, status: replicator.status,
                figures: replicator.statistics, lag: replicator.lagSeconds
            )
        }
        let figures =
            living.map { ($0.label.pairs, $0.figures) }
            + Replicator.gone.all.map { ($0.key.pairs, $0.value) }
        func counter(_ name: String, _ help: String, _ value: (Replicator.Statistics) -> UInt64) {
            page.add(
                "replicator_" + name,
                .counter,
                help,
                figures.map { ($0.0, Double(value($0.1))) }
            )
        }
        func gauge(_ name: String, _ help: String, _ value: (Replicator.Status) -> Double) {
            page.add(
                "replicator_" + name,
                .gauge,
                help,
                living.map { ($0.label.pairs, value($0.status)) }
            )
        }
        page.add(
            "replicator_activity",
            .gauge,
            "Replicators by activity.",
            living.map { ($0.label.pairs + [("activity", "\($0.status.activity)")], 1) }
        )
        gauge("errors", "Replicators with a current error.") { $0.error == nil ? 0 : 1 }
        page.add(
            "replicator_lag_seconds",
            .gauge,
            "Seconds since the replicator was in sync; 0 while it is.",
            living.map { ($0.label.pairs, $0.lag) },
            joining: max
        )
        gauge("stalls", "Stalled replicators.") { $0.stall == nil ? 0 : 1 }
        gauge("credential_needs", "Replicators waiting for credentials.") {
            $0.needsCredentials ? 1 : 0
        }
        counter("pulled_documents_total", "Documents pulled.") { $0.pulledDocumentCount }
        counter("pushed_documents_total", "Documents pushed.") { $0.pushedDocumentCount }
        counter("sent_bytes_total", "Bytes sent on the network.") { $0.sentByteCount }
        counter("received_bytes_total", "Bytes received from the network.") { $0.receivedByteCount }
        counter("delta_saved_bytes_total", "Bytes saved by deltas.") {
            $0.pushedDeltas.savedByteCount + $0.pulledDeltas.savedByteCount
        }
    }
}

extension ReplicatorLabel {
    fileprivate var pairs: [MetricsPage.Label] {
        [("database", database), ("target", target), ("type", type)]
    }
}
