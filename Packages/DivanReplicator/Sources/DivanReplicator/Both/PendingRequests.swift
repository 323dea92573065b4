import DivanBLIP

/// The requests of a connection that wait for their answer: the purpose of each, and since when there has been no
/// progress.
struct PendingRequests {
    /// One request.
    struct Question {
        let purpose: Purpose
        /// When it was asked, or when the last piece of its answer came.
        fileprivate(set) var since: Duration
    }

    private var questions = NumberTable<Question>()
    /// All of them by age; those answered or continued since are skipped when they reach the front, and removed when
    /// they outnumber the rest.
    private var order = FIFOQueue<(number: BLIPRequestNumber, since: Duration)>()

    /// How many questions are remembered, including answered ones.
    var rememberedCount: Int { order.count }

    subscript(number: BLIPRequestNumber) -> Purpose? { questions[number.rawValue]?.purpose }

    /// Every question, in no particular order.
    var all: [Question] { questions.elements }

    mutating func add(_ number: BLIPRequestNumber, _ purpose: Purpose, at now: Duration) {
        questions.insert(Question(purpose: purpose, since: now), at: number.rawValue)
        remember(number, since: now)
    }

    private mutating func remember(_ number: BLIPRequestNumber, since: Duration) {
        order.append((number, since))
        guard order.count > 2 * questions.count + 64 else { return }
        let questions = questions
        order.removeAll { questions[$0.number.rawValue]?.since != $0.since }
    }

    /// Returns a request's purpose, and forgets the request; for a blob's content the answer is only the beginning, so
    /// its purpose is remembered until the last piece.
    mutating func answered(_ number: BLIPRequestNumber, isRefused: Bool) -> Purpose? {
        guard let question = questions.remove(number.rawValue) else { return nil }
        if !isRefused, case .blob = question.purpose { questions[number.rawValue] = question }
        return question.purpose
    }

    mutating func remove(_ number: BLIPRequestNumber) { _ = questions.remove(number.rawValue) }

    mutating func removeAll() {
        self = PendingRequests()
    }

    /// A piece of the answer arrived: recorded once a second, so that the order does not grow with bytes.
    mutating func noteProgress(of number: BLIPRequestNumber, at now: Duration) {
        guard let since = questions[number.rawValue]?.since, now - since >= .seconds(1) else {
            return
        }
        questions[number.rawValue]?.since = now
        remember(number, since: now)
    }

    /// Since when the longest-waiting question has been waiting; `nil` if none is.
    mutating func oldest() -> Duration? {
        while let first = order.first {
            if questions[first.number.rawValue]?.since == first.since { return first.since }
            _ = order.popFirst()
        }
        return nil
    }
}
