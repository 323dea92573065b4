import CouchbaseLiteSwift

struct LogBridge: LogSinkProtocol {
    let logger: Logging.Logger

    func writeLog(level: LogLevel, domain: LogDomain, message: String) {
        logger.log(
            level: Logging.Logger.Level(level),
            "\(message)",
            metadata: ["domain": "\(domain)"],
            source: "Divan"
        )
    }
}

extension Logging.Logger.Level {
    init(_ level: LogLevel) {
        self =
            switch level {
            case .debug: .trace
            case .verbose: .debug
            case .info: .info
            case .warning: .warning
            case .error, .none: .error
            }
    }
}

func sendLogs(to logger: Logging.Logger) {
    LogSinks.console = nil  // avoids printing each entry twice
    LogSinks.custom = CustomLogSink(level: .info, logSink: LogBridge(logger: logger))
}

func record(_ listener: URLEndpointListener, as name: String) {
    let figures = listener.statistics
    let values: [(String, UInt64)] = [
        ("divan_connections", listener.status.connectionCount),
        ("divan_sent_documents", figures.sentDocumentCount),
        ("divan_received_documents", figures.receivedDocumentCount),
        ("divan_failed_documents", figures.failedDocumentCount),
    ]
    for (label, value) in values {
        Gauge(label: label, dimensions: [("database", name)]).record(value)
    }
}

func record(_ replicator: Replicator, as name: String) {
    let (status, figures) = (replicator.status, replicator.statistics)
    let values: [(String, UInt64)] = [
        ("divan_replicator_pulled_documents", figures.pulledDocumentCount),
        ("divan_replicator_pushed_documents", figures.pushedDocumentCount),
        ("divan_replicator_errors", status.error == nil ? 0 : 1),
        ("divan_replicator_stalls", status.stall == nil ? 0 : 1),
    ]
    for (label, value) in values {
        Gauge(label: label, dimensions: [("database", name)]).record(value)
    }
}
