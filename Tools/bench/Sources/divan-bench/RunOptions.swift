/// The options of `divan-bench run`; with an unknown word nothing is measured.
struct RunOptions {
    /// The prefix of the groups' names; empty for all.
    private(set) var prefix = ""
    /// Measures only what every change must satisfy, the best of three.
    private(set) var isSteady = false
    /// Ends with status 2 if a requirement is missed.
    private(set) var isStrict = false
    /// How far the group `stages` grows its database: 10,000 to 100,000,000.
    private(set) var documentCount = 1_000_000
    /// Where the groups of vector searches write their vectors, for other programs.
    private(set) var vectorFolder: String?
    /// Where the figures are written as JSON.
    private(set) var json: String?
    /// The name of the measured code in the report.
    private(set) var commit: String?

    init(_ words: some Sequence<String>) throws {
        var words = words.makeIterator()
        while let word = words.next() {
            func value() throws -> String {
                guard let value = words.next() else {
                    throw BenchFailure("\(word) requires a value\n\(usage)")
                }
                return value
            }
            switch word {
            case "--steady": isSteady = true
            case "--strict": isStrict = true
            case "--documents":
                guard let count = Int(try value()), 10_000...100_000_000 ~= count else {
                    throw BenchFailure("--documents requires 10000 to 100000000")
                }
                documentCount = count
            case "--vectors": vectorFolder = try value()
            case "--only": prefix = try value()
            case "--json": json = try value()
            case "--commit": commit = try value()
            default: throw BenchFailure("unknown option \(word)\n\(usage)")
            }
        }
    }
}
