/// The requirements for every log sink, as a check for any test framework.
public enum LogSinkContract {
    /// Returns one sentence for each violated requirement; none if the sink is correct.
    ///
    /// - Parameters:
    ///   - sink: A sink that accepts entries of every level.
    ///   - shown: Returns the output of the sink so far, as text.
    /// - Returns: The violated requirements.
    public static func violations(
        of sink: some LogSink,
        showing shown: @Sendable () -> String
    ) async -> [String] {
        var violations: [String] = []
        let level = sink.level
        if level > .debug { return ["The sink under test must accept every level."] }
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    for number in 0..<25 {
                        sink.write(
                            LogEntry(
                                level: number.isMultiple(of: 2) ? .info : .error,
                                domain: .sync,
                                message: "entry<\(thread).\(number)>"
                            )
                        )
                    }
                }
            }
        }
        let text = shown()
        let isWhole = (0..<4).allSatisfy { thread in
            (0..<25).allSatisfy { text.ranges(of: "entry<\(thread).\($0)>").count == 1 }
        }
        if !isWhole {
            violations.append("Entries from several threads must all appear intact, exactly once.")
        }
        let hostile = "first\nsecond\u{1B}[2J\u{0}end"
        sink.write(LogEntry(level: .warning, domain: LogDomain("Own"), message: hostile))
        if shown().contains("first\nsecond") || shown().contains("\u{1B}[2J") {
            violations.append("Line breaks and control characters must be escaped.")
        }
        sink.write(LogEntry(level: .warning, domain: .query, message: ""))
        if sink.level != level { violations.append("The level must not change.") }
        if sink.accepts(.sync) != sink.accepts(.sync) {
            violations.append("accepts(_:) must always return the same result for a domain.")
        }
        return violations
    }
}
