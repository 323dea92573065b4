/// What a figure must reach; a run with `--strict` fails if one does not.
///
/// As JSON, an object with one member: `{"share":0.8}`, `{"atLeast":3}`, `{"times":1.2}` or
/// `{"atMost":20}`.
enum Requirement {
    /// At least this fraction of the floor.
    case share(Double)
    /// At least this value in the figure's own unit.
    case atLeast(Double)
    /// At most this many times the floor: for times and sizes.
    case times(Double)
    /// At most this value in the figure's own unit.
    case atMost(Double)

    /// Whether a figure, and its ratio to the floor, are good enough.
    func isReached(by value: Double, ratio: Double) -> Bool {
        switch self {
        case .share(let share): ratio >= share
        case .atLeast(let least): value >= least
        // A ratio of 0 means that one of the two was not measured.
        case .times(let factor): ratio > 0 && ratio <= factor
        case .atMost(let most): value <= most
        }
    }
}

extension Requirement: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case share, atLeast, times, atMost
    }

    init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Key.self)
        guard let key = object.allKeys.first, object.allKeys.count == 1 else {
            throw BenchFailure("a requirement must be one of share, atLeast, times and atMost")
        }
        let value = try object.decode(Double.self, forKey: key)
        self =
            switch key {
            case .share: .share(value)
            case .atLeast: .atLeast(value)
            case .times: .times(value)
            case .atMost: .atMost(value)
            }
    }

    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        switch self {
        case .share(let value): try object.encode(value, forKey: .share)
        case .atLeast(let value): try object.encode(value, forKey: .atLeast)
        case .times(let value): try object.encode(value, forKey: .times)
        case .atMost(let value): try object.encode(value, forKey: .atMost)
        }
    }
}
