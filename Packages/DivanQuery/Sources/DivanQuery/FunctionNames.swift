/// The names of functions, and the one that was probably meant.
enum FunctionNames {
    private static let all =
        QueryFunction.allCases.map(\.rawValue) + QueryAggregate.allCases.map(\.rawValue)
        + ["META", "MATCH", "RANK", VectorSearches.name, QueryExpression.predictionName]

    /// The name that is at most two typing errors away from `name`, which is in upper case.
    static func nearest(to name: String) -> String? {
        let typed = Array(name.utf8)
        guard typed.count <= 32 else { return nil }
        return all.map { (name: $0, editCount: EditDistance.count(Array($0.utf8), typed)) }
            .filter { $0.editCount <= min(2, typed.count / 2) }
            .min { $0.editCount < $1.editCount }?.name
    }
}
