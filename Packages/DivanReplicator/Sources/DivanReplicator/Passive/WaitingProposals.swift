import DivanBLIP
import DivanRevisions

/// Lists of proposals that are not answered yet: a filter has to be asked about documents of theirs, and
/// the peer has had more read than it has earned.
struct WaitingProposals {
    /// One list, as far as it is judged.
    struct List {
        let entries: [ProposalMessage.Entry]
        let request: BLIPIncomingRequest
        /// What the first entries are answered.
        var answers: [ProposalAnswer] = []
        /// How far the sequences were when the first of them was judged.
        var sequence: UInt64 = 0
        /// Which documents the peer may fetch, of those that were looked at in this turn.
        var isReadable: [DocumentID: Bool] = [:]
        /// Whether it waits until documents may be looked at again.
        private(set) var isSuspended = false
        /// How many entries are judged together: one after a wait, and more as long as none has to wait.
        private var stepCount = Int.max

        /// Bytes of the message, and of each entry with its answer: many times as much.
        var byteCount: Int {
            let entry = MemoryLayout<ProposalMessage.Entry>.stride
            return request.body.count
                + entries.count * (entry + MemoryLayout<ProposalAnswer>.stride)
        }

        /// Whether each entry has its answer.
        var isJudged: Bool { answers.count >= entries.count }

        init(_ entries: [ProposalMessage.Entry], _ request: BLIPIncomingRequest) {
            self.entries = entries
            self.request = request
        }

        /// The entries that are judged next.
        ///
        /// All behind one that has to wait are judged again: where each has to, a list would cost hundreds of
        /// times what it is.
        func next(atMost limit: Int) -> ArraySlice<ProposalMessage.Entry> {
            entries.dropFirst(answers.count).prefix(min(limit, stepCount))
        }

        /// Takes the answers to all of those.
        mutating func take(_ next: [ProposalAnswer]) {
            answers += next
            if stepCount < entries.count { stepCount *= 2 }
        }

        /// Takes the answers to some of those; the next one has to wait.
        mutating func suspend(after some: ArraySlice<ProposalAnswer>) {
            answers += some
            isReadable = [:]  // documents change meanwhile
            isSuspended = true
            stepCount = 1
        }
    }

    private var lists: [List] = []
    /// Bytes of their messages, and of what those are read into.
    private(set) var byteCount = 0

    var isEmpty: Bool { lists.isEmpty }
    var count: Int { lists.count }

    /// The one that is judged next.
    var first: List? {
        get { lists.first }
        set { if let newValue, !lists.isEmpty { lists[0] = newValue } }
    }

    mutating func append(_ list: List) {
        lists.append(list)
        byteCount += list.byteCount
    }

    mutating func removeFirst() {
        guard !lists.isEmpty else { return }
        byteCount -= lists.removeFirst().byteCount
    }
}
