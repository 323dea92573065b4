/// What is wrong with a line.
struct DumpDamage: Error {
    let problem: String
    /// Whether the line is not JSON.
    let isOfText: Bool

    init(_ problem: String, isOfText: Bool = false) {
        self.problem = problem
        self.isOfText = isOfText
    }
}
