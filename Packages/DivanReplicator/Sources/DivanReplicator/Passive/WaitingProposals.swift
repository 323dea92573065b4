import DivanBLIP
import DivanRevisions

/// Lists of proposals that are not answered yet: a filter must be asked about their documents, and the peer has caused
/// more reading than it has earned.
struct WaitingProposals {
    /// One list, as far as it has been judged.
    struct List {
        let entries: [ProposalMessage.Entry]
        let request: BLIPIncomingRequest
        /// The answers to the first entries.
        var answers: [ProposalAnswer] = []
        /// How far the sequences had come when the first of them was judged.
        var sequence: UInt64 = 0
        /// Which documents the peer may fetch, of those examined in this turn.
        var isReadable: [DocumentID: Bool] = [:]
        /// Whether it waits until documents may be read again.
        private(set) var isSuspended = false
        /// How many entries are judged together: one after a wait, and more as long as none must wait.
        private var stepCount = Int.max

        /// Bytes of the message, and of each entry with its answer, which are many times as large.
        var byteCount: Int {
            let entry = MemoryLayout<ProposalMessage.Entry>.stride
            return request.body.count
                + entries.count * (entry + MemoryLayout<ProposalAnswer>.stride)
        }

        /// Whether each entry has an answer.
        var isJudged: Bool { answers.count >= entries.count }

        init(_ entries: [ProposalMessage.Entry], _ request: BLIPIncomingRequest) {
            self.entries = entries
            self.request = request
        }

        /// The entries to judge next.
        ///
        /// All entries after one that must wait are judged again: if each must, a list would cost hundreds of times as
        /// much.
        func next(atMost limit: Int) -> ArraySlice<ProposalMessage.Entry> {
            entries.dropFirst(answers.count).prefix(min(limit, stepCount))
        }

        /// Adds the answers to all of those.
        mutating func take(_ next: [ProposalAnswer]) {
            answers += next
            if stepCount < entries.count { stepCount *= 2 }
        }

        /// Adds the answers to some of those; the next one must wait.
        mutating func suspend(after some: ArraySlice<ProposalAnswer>) {
            answers += some
            isReadable = [:]  // documents change meanwhile
            isSuspended = true
            stepCount = 1
        }
    }

    private var lists: [List] = []
    /// Bytes of their messages, and of the parsed entries.
    private(set) var byteCount = 0

    var isEmpty: Bool { lists.isEmpty }
    var count: Int { lists.count }

    /// The list to judge next.
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
