/// An expected difference from the recording, and why it is correct.
struct ScenarioDifference {
    /// A part of the difference as written by `RecordedScenario`.
    let text: String
    let reason: String

    init(_ text: String, _ reason: String) {
        self.text = text
        self.reason = reason
    }

    private static let waits =
        "a document in conflict is not proposed: the peer would refuse it for ever"
    private static let whole = "a passive peer keeps no old bodies: it sends the whole"
    private static let taken = "LiteCore fails at a whole list (SQLite 1) where ours answers it"
    private static let divided = "a list that LiteCore fails at comes again in halves"
    private static let behind = "what lies behind the own revision is not wanted"
    private static let other = "a subprotocol of another scheme is refused before anything is said"
    private static let byVectors =
        "where both have vectors these alone decide; LiteCore refuses for the tree IDs, for ever"
    private static let absolute =
        "sources are absolute: a copy knows what the original wrote, and LiteCore's does not"
    private static let twin =
        "the own name of a merge is told to who has the other: both know both from then on"
    private static let order = "the push comes first here, so that the newer revision is sent"
    private static let forgotten = "the tree IDs that came with a revision are kept and passed on"
    private static let clock = "the clock of a scenario is set after all recorded times"
    private static let oneByOne =
        "what is no revision is refused by itself, and the rest of the list goes on"
    private static let converted = "a tree ID and what it is converted to name one revision"
    private static let noConflict = "a listener stores no conflict and wants proposals"

    static let all: [String: [ScenarioDifference]] = [
        "vv-conflict-unresolved": [
            .init("no proposeChanges", waits),
            .init("no rev doc", waits),
        ],
        "vv-delta": [
            .init("pull an update, server: deltaSrc of rev doc is none", whole),
            .init("pull an update, server: body of doc", whole),
        ],
        "vv-upgrade-delta": [
            .init("pull an update, server: deltaSrc of rev doc-2 is none", whole),
            .init("pull an update, server: body of doc-2", whole),
        ],
        "vv-four-sources": [
            .init(
                "proposeChanges names doc 18e9e02a34660001@",
                "a 409 names the current version, and that is proposed again"
            ),
            .init(
                "proposeChanges lacks doc 18e9e02a34660001@",
                "LiteCore proposes the whole vector that its 409 named"
            ),
        ],
        "vv-legacy-pulled": [
            .init("answer 1 is fine", taken),
            .init("blobs of answer 1 is true", taken),
            .init("after it got a vector at C, client: answer 1 is []", behind),
            .init("server: nobody expected changes", divided),
        ],
        "vv-redundant-merge": [
            .init("nobody expected proposeChanges", twin),
            .init("nobody expected changes", twin),
            .init("history of rev r-equal is", twin),
        ],
        "vv-upgrade-one-side": [
            .init("client: ends with", "the recorded refusal ends the run"),
            .init("server: no answer to request", other),
            .init("server: ends with", other),
        ],
        "vv-upgrade-blobs": [
            .init("client: answer 1 is [0,", behind)
        ],
        "vv-upgrade-collection": [
            .init("client: answer 1 is [0,", behind)
        ],
        "vv-upgrade-other-way": [
            .init("B to C, client: answer 1 is []", behind),
            .init(
                "A to B, client: nobody expected proposeChanges",
                "the peer has an older revision, so the newer one is proposed at once"
            ),
        ],
        "vv-upgrade-two-devices": [
            .init("client: answer 1 is []", behind),
            .init("server: rev of rev d-a is", order),
            .init("server: body of d-a", order),
            .init("server: rev of rev d-both is", order),
            .init("server: body of d-both", order),
        ],
        "vv-upgrade-conflict-trees": [
            .init("proposeChanges lacks t-before", waits),
            .init("no rev t-before", waits),
            .init("server: history of rev t-lower is", forgotten),
            .init("answer 1 is fine", taken),
            .init("blobs of answer 1 is true", taken),
            .init("server: nobody expected changes", divided),
        ],
        "vv-upgrade-third-conflict": [
            .init("server: history of rev x-behind is", forgotten),
            .init("client: no proposeChanges", waits),
            .init("client: no rev x-behind", waits),
            .init("client: no rev x-conflict", waits),
            .init("A pushes to C, server: answer 3 is fine", byVectors),
            .init("A pushes to C, server: noop of answer 3", byVectors),
            .init(
                "C pushes to A, the other way round, client: nobody expected proposeChanges",
                "the answer of the recorded peer names an ancestor, which is proposed"
            ),
        ],
        "vv-copied-database": [
            .init("client: proposeChanges names", absolute),
            .init("client: proposeChanges lacks", absolute),
            .init("client: nobody expected", absolute),
            .init("A2 after: doc-", absolute),
            .init("A2 pulls from B, client: answer 1 is []", absolute),
            .init("client: noop of answer", absolute),
        ],
        "vv-upgrade-conflict-mixed": [
            .init("client: history of rev m-", forgotten),
            .init("server: answer 3 is", byVectors),
            .init("server: answer 4 is fine", byVectors),
            .init("server: answer 5 is fine", byVectors),
            .init("server: noop of answer", byVectors),
            .init("B after: m-a-", byVectors),
            .init("server: changes names m-a-", byVectors),
            .init("server: changes lacks m-a-", byVectors),
            .init("client: answer 1 is [0,", behind),
        ],
        "vv-upgrade-third-peer": [
            .init("C pushes, server: answer 4 is fine", byVectors),
            .init("B after: p-vector is", byVectors),
            .init("A after: p-vector is", byVectors),
            .init("C after: p-reader is", byVectors),
            .init("server: changes names p-vector", byVectors),
            .init("server: changes lacks p-vector", byVectors),
            .init("server: no rev p-", byVectors),
            .init("server: nobody expected rev p-", byVectors),
            .init("client: proposeChanges names p-reader", byVectors),
            .init("client: proposeChanges lacks p-reader", byVectors),
            .init("client: answer 1 is fine", taken),
            .init("client: blobs of answer 1", taken),
            .init("server: nobody expected changes", divided),
            .init("server: answer 6 is fine", byVectors),
        ],
        "vv-malformed": [
            .init("proposeChanges: *, server: ", oneByOne),
            .init("proposeChanges: time zero, server: answer 2 is [400]", oneByOne),
            .init("proposeChanges: source of 21 characters, server: answer 2 is [400]", oneByOne),
            .init("source not canonical, server: answer 2 is [400]", oneByOne),
            .init("proposeChanges: all-zero source, server: answer 2 is [400]", oneByOne),
            .init("proposeChanges: no @ and no -, server: ", oneByOne),
            .init("proposeChanges: empty, server: ", oneByOne),
            .init("taken or refused one by one, server: answer 5 is fine", clock),
            .init("taken or refused one by one, server: answer 7 is fine", clock),
            .init(
                "rev: * in history, server: answer 3 is HTTP/400",
                "nobody may say * on the wire"
            ),
            .init("rev for documents that exist, server: answer 11 is fine", byVectors),
            .init("rev for documents that exist, server: answer 13 is fine", byVectors),
            .init("rev for documents that exist, server: noop of answer 13", byVectors),
            .init("rev for documents that exist, server: answer 15 is fine", byVectors),
            .init("rev for documents that exist, server: noop of answer 15", byVectors),
            .init(
                "rev for documents that exist, server: noop of answer 17",
                "it was stored at the first of the four"
            ),
            .init("rev for documents that exist, server: answer 19 is fine", converted),
            .init("rev for documents that exist, server: noop of answer 21", converted),
            .init("changes, server: answer 2", noConflict),
            .init("changes, server: blobs of answer 2", noConflict),
            .init("changes with time zero, server: answer 2", noConflict),
            .init("changes with time zero, server: blobs of answer 2", noConflict),
        ],
    ]
}
