/// What a figure has to reach; a run with `--strict` fails when one does not.
enum Requirement: Codable {
    /// This share of the floor, or more.
    case share(Double)
    /// This value in the figure's own unit, or more.
    case atLeast(Double)
    /// So many times the floor, or less: of times and sizes.
    case times(Double)
    /// This value in the figure's own unit, or less.
    case atMost(Double)

    /// Whether the figure is good enough.
    func isReached(by figure: Figure) -> Bool {
        switch self {
        case .share(let share): figure.ratio >= share
        case .atLeast(let value): figure.ours >= value
        case .times(let factor): figure.ratio <= factor
        case .atMost(let value): figure.ours <= value
        }
    }
}
