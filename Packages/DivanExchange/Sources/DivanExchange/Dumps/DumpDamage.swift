/// What is wrong with a line.
struct DumpDamage: Error {
    let problem: String
    /// What to do about it.
    let hint: String?
    /// Whether the line is not JSON.
    let isOfText: Bool

    init(_ problem: String, hint: String? = nil, isOfText: Bool = false) {
        self.problem = problem
        self.hint = hint
        self.isOfText = isOfText
    }
}
