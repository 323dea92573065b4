import Synchronization

/// The parts of swift-log that logging-and-metrics.md uses, by its names and signatures: this
/// repository depends on no package, so the page is compiled against the same shape.
enum Logging {
    struct Logger: Sendable {
        enum Level: String, Sendable {
            case trace, debug, info, notice, warning, error, critical
        }

        struct Message: ExpressibleByStringInterpolation, Sendable {
            let text: String
            init(stringLiteral text: String) { self.text = text }
        }

        typealias Metadata = [String: MetadataValue]

        struct MetadataValue: ExpressibleByStringInterpolation, Sendable {
            let text: String
            init(stringLiteral text: String) { self.text = text }
        }

        /// Stands for the handler, which receives the lines.
        let write: @Sendable (String) -> Void

        func log(
            level: Level,
            _ message: @autoclosure () -> Message,
            metadata: @autoclosure () -> Metadata? = nil,
            source: @autoclosure () -> String? = nil,
            file: String = #fileID,
            function: String = #function,
            line: UInt = #line
        ) {
            let area = metadata()?["area"]?.text ?? "-"
            write("\(level.rawValue) \(source() ?? "-") \(area): \(message().text)")
        }
    }
}

/// The same for swift-metrics: a gauge by its label and dimensions.
struct Gauge {
    /// What was recorded last, under `label{name=value}`.
    static let recorded = Mutex<[String: Double]>([:])

    private let key: String

    init(label: String, dimensions: [(String, String)] = []) {
        key = "\(label){\(dimensions.map { "\($0.0)=\($0.1)" }.joined(separator: ","))}"
    }

    func record(_ value: some BinaryInteger) {
        Self.recorded.withLock { $0[key] = Double(value) }
    }
}
