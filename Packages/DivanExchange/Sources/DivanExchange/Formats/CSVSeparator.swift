/// The character between the fields of comma-separated values: given, or found in the text.
enum CSVSeparator {
    /// Bytes at the beginning of a text in which it is looked for.
    static let sampleByteCount = 64 << 10

    private static let tab = UInt8(ascii: "\t")
    /// In the order in which messages list them.
    private static let candidates = Array(",;\t|".utf8)

    /// Finds the separator of a text that begins with `sample`.
    ///
    /// It is the one that divides the first record. If several do, the others must agree: each further
    /// record has as many fields as the first one.
    static func finding(in sample: [UInt8], isTabbed: Bool) throws(ExchangeError) -> UInt8 {
        let found = candidates.compactMap { Division(of: sample, at: $0) }
        if isTabbed, found.contains(where: { $0.separator == tab }) { return tab }
        guard found.count > 1 else { return found.first?.separator ?? candidates[0] }
        let even = found.filter(\.isEven)
        let likely = even.isEmpty ? found : even
        let most = likely.map(\.count).max() ?? 0
        let best = likely.filter { $0.count == most }
        guard best.count == 1 else {
            let list = best.map { "\"\(name(of: $0.separator))\"" }.joined(separator: " or ")
            throw ExchangeError(
                .ambiguousSeparator,
                "cannot detect the separator, which may be \(list)",
                remedy: "set it"
            )
        }
        return best[0].separator
    }

    private static func name(of byte: UInt8) -> String {
        byte == tab ? "tab" : String(UnicodeScalar(byte))
    }

    /// How a separator divides a text.
    private struct Division {
        let separator: UInt8
        /// Fields of the first record.
        var count = 0
        /// Whether the other records have as many.
        var isEven = true

        /// `nil` if it does not divide the first record.
        init?(of sample: [UInt8], at separator: UInt8) {
            self.separator = separator
            var records = CSVRecords(separator: separator)
            for byte in sample {
                let record: CSVRecords.Record?
                do {
                    record = try records.take(byte)
                } catch {
                    break
                }
                guard let record else { continue }
                if record.problem != nil { break }
                if count == 0 { count = record.fields.count }
                if record.fields.count != count {
                    isEven = false
                    break
                }
            }
            // The text may consist of the first record only.
            if count == 0, let last = try? records.finish(), last.problem == nil {
                count = last.fields.count
            }
            if count < 2 { return nil }
        }
    }
}
