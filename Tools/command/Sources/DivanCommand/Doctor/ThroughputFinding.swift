import DivanCommandLine
import DivanJSON

/// The throughput in both directions, by what a probe received and sent.
struct ThroughputFinding {
    /// Bytes per second below which the connection is slow.
    private static let slow = 50_000.0
    /// Fewer bytes measure latency, not throughput.
    private static let leastByteCount = 50_000

    private let report: ProtocolProbe.Report

    init(_ report: ProtocolProbe.Report) {
        self.report = report
    }

    var finding: Finding? {
        var parts: [String] = []
        var figures: JSONObject = [:]
        var slowest = Double.infinity
        if let received = report.received, received.byteCount > 0 {
            let documents = Numbers.count(report.receivedCount, "document")
            parts.append("received \(documents), \(text(received))")
            slowest = min(slowest, judged(received))
            figures["documentsReceived"] = JSON(report.receivedCount)
            figures["bytesReceived"] = JSON(received.byteCount)
            figures["receivedPerSecond"] = .double(rate(received).rounded())
        }
        if let sent = report.sent {
            parts.append("sent \(text(sent))")
            slowest = min(slowest, judged(sent))
            figures["bytesSent"] = JSON(sent.byteCount)
            figures["sentPerSecond"] = .double(rate(sent).rounded())
        }
        guard !parts.isEmpty else { return nil }
        let seen = parts.joined(separator: "; ")
        var finding = Finding.ok("throughput", seen)
        if slowest < Self.slow {
            finding = .warning(
                "throughput",
                seen,
                "slow connection: syncs take a long time; '--blobs lazy' helps"
            )
        }
        finding.figures = figures
        return finding
    }

    private func text(_ transfer: ProtocolProbe.Transfer) -> String {
        let milliseconds = Int((transfer.time / .milliseconds(1)).rounded(.up))
        let text = "\(Numbers.bytes(transfer.byteCount)) in \(milliseconds) ms"
        guard transfer.byteCount >= Self.leastByteCount else { return text }
        return text + ", \(Numbers.bytes(UInt64(rate(transfer))))/s"
    }

    /// The rate, if there were enough bytes to measure it.
    private func judged(_ transfer: ProtocolProbe.Transfer) -> Double {
        transfer.byteCount < Self.leastByteCount ? .infinity : rate(transfer)
    }

    private func rate(_ transfer: ProtocolProbe.Transfer) -> Double {
        Double(transfer.byteCount) / max(transfer.time / .seconds(1), 1e-6)
    }
}
