/// One broken rule: where, what, and what to do about it.
public struct Violation: Equatable, Sendable, CustomStringConvertible {
    /// Path of the file, relative to the repository, with a line if that helps.
    public let place: String
    /// What is wrong.
    public let problem: String
    /// What to do.
    public let remedy: String

    init(_ place: String, _ problem: String, _ remedy: String) {
        self.place = place
        self.problem = problem
        self.remedy = remedy
    }

    /// One line: place, problem, remedy.
    public var description: String { "\(place): \(problem); \(remedy)" }
}
