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
        var isSuspended = false

        /// Whether each entry has its answer.
        var isJudged: Bool { answers.count >= entries.count }

        init(_ entries: [ProposalMessage.Entry], _ request: BLIPIncomingRequest) {
            self.entries = entries
            self.request = request
        }
    }

    private var lists: [List] = []
    /// Bytes of their messages.
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
        byteCount += list.request.body.count
    }

    mutating func removeFirst() {
        guard !lists.isEmpty else { return }
        byteCount -= lists.removeFirst().request.body.count
    }
}
