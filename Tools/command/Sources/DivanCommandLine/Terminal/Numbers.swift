/// Numbers in a readable form.
package enum Numbers {
    /// Returns `12,345`.
    package static func grouped(_ number: some BinaryInteger) -> String {
        let digits = Array(String(number))
        var text = ""
        for (index, digit) in digits.enumerated() {
            let rest = digits.count - index
            if index > 0, rest % 3 == 0, digits[index - 1] != "-" { text.append(",") }
            text.append(digit)
        }
        return text
    }

    /// Returns `1 document`, `12,345 documents`.
    package static func count(_ number: some BinaryInteger, _ noun: String) -> String {
        count(number, noun, noun + "s")
    }

    /// The same for a noun with an irregular plural.
    package static func count(
        _ number: some BinaryInteger,
        _ noun: String,
        _ plural: String
    ) -> String {
        "\(grouped(number)) \(number == 1 ? noun : plural)"
    }

    /// Returns `2 documents`, or `2 documents and 1 blob` if there are blobs.
    package static func contents(
        _ documents: some BinaryInteger,
        blobs: some BinaryInteger
    ) -> String {
        count(documents, "document") + (blobs > 0 ? " and \(count(blobs, "blob"))" : "")
    }

    /// Returns `1.5 MB`; units are powers of a thousand.
    package static func bytes(_ count: some BinaryInteger) -> String {
        let units = ["B", "kB", "MB", "GB", "TB"]
        var value = Double(count)
        var unit = 0
        while value >= 1000, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        return unit == 0 ? "\(count) B" : "\(decimal(value, places: 1)) \(units[unit])"
    }

    /// Returns `0.42 s`, `12 s`, `3 min 20 s`.
    package static func seconds(_ seconds: Double) -> String {
        if seconds < 10 { return "\(decimal(seconds, places: 2)) s" }
        let whole = Int(min(seconds, 1e9).rounded())
        return whole < 60 ? "\(whole) s" : "\(whole / 60) min \(whole % 60) s"
    }

    /// Returns the number with a fixed number of decimals.
    package static func decimal(_ value: Double, places: Int) -> String {
        var scale = 1.0
        for _ in 0..<places { scale *= 10 }
        let scaled = Int((value * scale).rounded())
        guard places > 0 else { return "\(scaled)" }
        let fraction = String(abs(scaled) % Int(scale))
        let zeros = String(repeating: "0", count: places - fraction.count)
        let sign = scaled < 0 ? "-" : ""
        return "\(sign)\(abs(scaled) / Int(scale)).\(zeros)\(fraction)"
    }
}

extension Duration {
    /// The duration in seconds, with fractions.
    package var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
