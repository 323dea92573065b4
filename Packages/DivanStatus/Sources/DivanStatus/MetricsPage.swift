import DivanJSON

/// A page in the text format of Prometheus, version 0.0.4; every name begins with `divan_`.
public struct MetricsPage: Sendable {
    /// The name and the value of a label.
    public typealias Label = (name: String, value: String)
    /// A figure and its labels.
    public typealias Sample = (labels: [Label], value: Double)

    /// The Prometheus type of a figure.
    public enum Kind: String, Sendable {
        /// A total, which never decreases.
        case counter
        /// A current value.
        case gauge
    }

    /// Measured values, counted in buckets.
    public struct Histogram: Sendable {
        /// The labels.
        public let labels: [Label]
        /// The greatest value of each bucket, ascending; a last bucket has no bound.
        public let bounds: [Double]
        /// The number of values in each bucket, and in the last one.
        public let counts: [UInt64]
        /// The sum of all values.
        public let sum: Double

        /// Creates a histogram; `counts` has one element more than `bounds`.
        public init(labels: [Label], bounds: [Double], counts: [UInt64], sum: Double) {
            self.labels = labels
            self.bounds = bounds
            self.counts = counts
            self.sum = sum
        }
    }

    private var lines: [String] = []

    /// Creates an empty page.
    public init() {}

    /// The page so far.
    public var text: String { lines.isEmpty ? "" : lines.joined(separator: "\n") + "\n" }

    /// Adds a family of figures; one without samples is left out.
    ///
    /// Samples with the same labels are merged, since a page must not contain two.
    public mutating func add(
        _ name: String,
        _ kind: Kind,
        _ help: String,
        _ samples: [Sample],
        joining join: (Double, Double) -> Double = { $0 + $1 }
    ) {
        guard !samples.isEmpty else { return }
        var order: [ExactText] = []
        var values: [ExactText: Double] = [:]
        for sample in samples {
            let labels = ExactText(Self.text(sample.labels))
            if let known = values[labels] {
                values[labels] = join(known, sample.value)
            } else {
                order.append(labels)
                values[labels] = sample.value
            }
        }
        begin(name, kind.rawValue, help)
        lines += order.map { "divan_\(name)\($0.text) \(Self.text(values[$0] ?? 0))" }
    }

    /// Adds a family of histograms, which have different labels; one without histograms is left out.
    public mutating func add(_ name: String, _ help: String, _ histograms: [Histogram]) {
        guard !histograms.isEmpty else { return }
        begin(name, "histogram", help)
        for histogram in histograms {
            var count: UInt64 = 0
            let bounds = histogram.bounds.map(Self.text) + ["+Inf"]
            for (bound, own) in zip(bounds, histogram.counts) {
                count &+= own
                let labels = Self.text(histogram.labels + [("le", bound)])
                lines.append("divan_\(name)_bucket\(labels) \(count)")
            }
            let labels = Self.text(histogram.labels)
            lines.append("divan_\(name)_sum\(labels) \(Self.text(histogram.sum))")
            lines.append("divan_\(name)_count\(labels) \(count)")
        }
    }

    private mutating func begin(_ name: String, _ type: String, _ help: String) {
        lines += ["# HELP divan_\(name) \(help)", "# TYPE divan_\(name) \(type)"]
    }

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
        Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}
