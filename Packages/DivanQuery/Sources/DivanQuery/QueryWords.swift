/// The words of the language, for completion.
public enum QueryWords {
    /// Keywords and the names of functions, in upper case, sorted.
    public static let all: [String] =
        Set(
            SQLKeyword.allCases.map(\.rawValue) + QueryFunction.allCases.map(\.rawValue)
                + QueryAggregate.allCases.map(\.rawValue) + ["MATCH", "META", "RANK"]
        ).sorted()
}
