import DivanJSON

/// Scanner, parser and reader agree on any text; what was parsed is written canonically and read
/// back equal.
enum JSONTexts: FuzzTarget {
    static let name = "json"

    static func violation(of input: [UInt8]) -> String? {
        let summary = try? JSONScanner.validate(input.span)
        let quick = try? JSONScanner.validate(input.span, checksSpelling: false)
        if told(quick) != told(summary) || quick?.isCanonical == true {
            return "a quick look: \(String(describing: quick)), a full one: "
                + String(describing: summary)
        }
        let value = try? JSON(parsing: input)
        if (summary == nil) != (value == nil) {
            return "scanner: \(String(describing: summary)), parser: \(String(describing: value))"
        }
        if reads(input) != (value != nil) { return "the reader differs from the parser" }
        guard let summary, let value else { return nil }
        guard summary.kind == value.kind else { return "scanner \(summary.kind)" }
        guard let canonical = try? value.canonicalBytes() else { return "cannot be written" }
        guard let again = try? JSON(parsing: canonical) else { return "our own text is refused" }
        if again != value {
            return "comes back changed: \(String(decoding: canonical, as: UTF8.self))"
        }
        let isCanonical = (try? JSONScanner.validate(canonical.span))?.isCanonical
        if isCanonical != true { return "canonical text is not known as such" }
        if summary.isCanonical, canonical != input { return "taken for canonical by mistake" }
        return nil
    }

    /// The part of a summary that is also computed without checking the spelling.
    private static func told(_ summary: JSONSummary?) -> [Bool]? {
        summary.map {
            [
                $0.kind == .object, $0.hasRepeatedKey, $0.hasUnderscoreKey, $0.hasDigestKey,
                $0.mayHaveBlobs,
            ]
        }
    }

    private static func reads(_ input: [UInt8]) -> Bool {
        do {
            var reader = JSONReader(input)
            try reader.skip()
            try reader.finish()
            var second = JSONReader(input)
            _ = try second.readRaw()
            try second.finish()
            return true
        } catch {
            _ = error.description
            return false
        }
    }

    static func seeds() throws -> [[UInt8]] {
        let suite = try Fixtures.files("DivanJSON", "JSONTestSuite")
        let identifiers = try Fixtures.json("DivanJSON", "revids.json")
        return suite + Fixtures.texts(in: identifiers).map { Array($0.utf8) }
    }
}
