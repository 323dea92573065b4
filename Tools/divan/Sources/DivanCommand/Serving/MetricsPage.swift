import Divan
import DivanCommandLine
import DivanJSON
import Foundation
import Glibc

/// The figures of listeners in the text format of Prometheus, version 0.0.4.
struct MetricsPage {
    private let served: [ServedDatabase]
    private let begin: Date

    init(_ served: [ServedDatabase], since begin: Date) {
        self.served = served
        self.begin = begin
    }

    private typealias Label = (name: String, value: String)
    private typealias Sample = (labels: [Label], value: Double)

    /// One family for each figure, with one sample for each database.
    var text: String {
        let readings = served.map {
            (label: ("database", $0.path.name), ListenerReading($0.listener))
        }
        var lines: [String] = []
        func add(_ name: String, _ kind: String, _ help: String, _ samples: [Sample]) {
            guard !samples.isEmpty else { return }
            lines += ["# HELP divan_\(name) \(help)", "# TYPE divan_\(name) \(kind)"]
            lines += samples.map { "divan_\(name)\(Self.text($0.labels)) \(Self.text($0.value))" }
        }
        func all(_ value: (ListenerReading) -> UInt64) -> [Sample] {
            readings.map { ([$0.label], Double(value($0.1))) }
        }
        add("connections", "gauge", "Peers that are connected.", all { UInt64($0.peers.count) })
        add(
            "active_connections",
            "gauge",
            "Peers that exchange documents now.",
            all { $0.activeCount }
        )
        add(
            "connections_total",
            "counter",
            "Connections so far by what this side compresses with.",
            readings.flatMap { label, reading in
                reading.figures.connectionCountByCompression.sorted { $0.key < $1.key }
                    .map { ([label, ("compression", $0.key)], Double($0.value)) }
            }
        )
        for figure in Self.counters {
            add(figure.name, "counter", figure.help, all { figure.value($0.figures) })
        }
        add(
            "refusals_total",
            "counter",
            "Requests refused by the status of the answer.",
            readings.flatMap { label, reading in
                reading.figures.refusalCountByStatus.sorted { $0.key < $1.key }
                    .map { ([label, ("status", "\($0.key)")], Double($0.value)) }
            }
        )
        add(
            "certificate_expiry_timestamp_seconds",
            "gauge",
            "When the listener's certificate ends to be valid.",
            served.compactMap { database in
                database.certificate.map {
                    ([("database", database.path.name)], $0.notAfter.timeIntervalSince1970)
                }
            }
        )
        add(
            "start_time_seconds",
            "gauge",
            "When serving began.",
            [([], begin.timeIntervalSince1970)]
        )
        add("resident_memory_bytes", "gauge", "Memory of the process.", [([], Self.memory)])
        return lines.joined(separator: "\n") + "\n"
    }

    private typealias Figures = URLEndpointListener.Statistics
    private struct Counter {
        let name: String
        let help: String
        let value: @Sendable (Figures) -> UInt64
    }

    private static let counters = [
        Counter(name: "sent_documents_total", help: "Documents sent.") { $0.sentDocumentCount },
        Counter(name: "received_documents_total", help: "Documents received.") {
            $0.receivedDocumentCount
        },
        Counter(name: "failed_documents_total", help: "Documents that one side refused.") {
            $0.failedDocumentCount
        },
        Counter(name: "sent_bytes_total", help: "Bytes sent at the sockets.") { $0.sentByteCount },
        Counter(name: "received_bytes_total", help: "Bytes received at the sockets.") {
            $0.receivedByteCount
        },
        Counter(name: "sent_deltas_total", help: "Documents sent as deltas.") {
            $0.sentDeltas.count
        },
        Counter(name: "received_deltas_total", help: "Documents received as deltas.") {
            $0.receivedDeltas.count
        },
        Counter(name: "delta_saved_bytes_total", help: "Bytes that deltas saved.") {
            $0.sentDeltas.savedByteCount + $0.receivedDeltas.savedByteCount
        },
        Counter(name: "failed_handshakes_total", help: "Sockets that never became a connection.") {
            $0.failedHandshakeCount
        },
    ]

    private static func text(_ labels: [Label]) -> String {
        guard !labels.isEmpty else { return "" }
        let pairs = labels.map { label in
            let value = label.value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
                .replacing("\n", with: "\\n")
            return "\(label.name)=\"\(value)\""
        }
        return "{\(pairs.joined(separator: ","))}"
    }

    private static func text(_ value: Double) -> String {
        Int64(exactly: value.rounded()).map { "\($0)" } ?? "\(value)"
    }

    /// The second field of proc(5)'s statm, in pages.
    private static var memory: Double {
        let statm = (try? InputFile("/proc/self/statm").rest(limit: 1 << 10)) ?? []
        let fields = String(decoding: statm, as: UTF8.self).split(separator: " ")
        let pages = fields.dropFirst().first.flatMap { Double($0) } ?? 0
        return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
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

    /// Whether nothing is wrong.
    var isHealthy: Bool { served.allSatisfy { $0.listener.port != nil } }

    /// The answer to `/_health`.
    var json: JSON {
        let databases = served.map { database in
            (key: database.path.name, value: JSON.string(state(database)))
        }
        return [
            "status": .string(isHealthy ? "ok" : "down"),
            "databases": .object(JSONObject(databases)),
            "uptimeSeconds": JSON(Int(-begin.timeIntervalSinceNow)),
            "version": .string(Program.version),
        ]
    }

    private func state(_ database: ServedDatabase) -> String {
        database.listener.port == nil ? "stopped" : "listening"
    }
}
