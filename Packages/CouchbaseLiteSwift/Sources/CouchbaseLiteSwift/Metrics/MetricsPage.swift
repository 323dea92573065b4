import DivanJSON
import Foundation

/// A page in the text format of Prometheus, version 0.0.4.
struct MetricsPage {
    typealias Label = (name: String, value: String)
    typealias Sample = (labels: [Label], value: Double)

    /// The Prometheus type of a figure.
    enum Kind: String {
        case counter
        case gauge
    }

    private var lines: [String] = []

    /// The page so far.
    var text: String { lines.isEmpty ? "" : lines.joined(separator: "\n") + "\n" }

    /// Adds a family of figures; one without samples is left out.
    ///
    /// Samples with the same labels are merged, since a page must not contain two.
    mutating func add(
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
        lines += ["# HELP divan_\(name) \(help)", "# TYPE divan_\(name) \(kind.rawValue)"]
        lines += order.map { "divan_\(name)\($0.text) \(Self.text(values[$0] ?? 0))" }
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
        Int64(exactly: value.rounded()).map { "\($0)" } ?? "\(value)"
    }
}
