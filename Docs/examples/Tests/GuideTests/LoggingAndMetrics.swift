import Divan

func sendLogs(to logger: Logging.Logger) {
    Log.consoleLevel = nil  // avoids printing each entry twice
    Log.sink = Log.Sink(level: .info) { entry in
        logger.log(
            level: Logging.Logger.Level(entry.level),
            "\(entry.message)",
            metadata: ["area": "\(entry.area)"],
            source: "Divan"
        )
    }
}

extension Logging.Logger.Level {
    init(_ level: Log.Level) {
        self =
            switch level {
            case .debug: .trace
            case .verbose: .debug
            case .info: .info
            case .warning: .warning
            case .error: .error
            }
    }
}

func record(_ sync: Sync, as name: String) {
    let (status, figures) = (sync.status, sync.statistics)
    let values: [(String, Int)] = [
        ("divan_replicator_pulled_documents", figures.pulledCount),
        ("divan_replicator_pushed_documents", figures.pushedCount),
        ("divan_replicator_errors", status.error == nil ? 0 : 1),
        ("divan_replicator_stalls", status.stall == nil ? 0 : 1),
    ]
    for (label, value) in values {
        Gauge(label: label, dimensions: [("database", name)]).record(value)
    }
}

func record(_ listener: Listener, as name: String) {
    guard let figures = listener.statistics else { return }
    let values: [(String, Int)] = [
        ("divan_connections", listener.status.connectionCount),
        ("divan_sent_documents", figures.sentCount),
        ("divan_received_documents", figures.receivedCount),
        ("divan_failed_documents", figures.failedCount),
    ]
    for (label, value) in values {
        Gauge(label: label, dimensions: [("database", name)]).record(value)
    }
}
