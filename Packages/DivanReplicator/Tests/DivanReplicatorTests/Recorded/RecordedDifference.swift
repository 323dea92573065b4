/// An answer of ours that differs in meaning from the recorded server's, and why that is correct.
struct RecordedDifference {
    /// A part of the difference as written by `RecordedClient`.
    let text: String
    let reason: String

    init(_ text: String, _ reason: String) {
        self.text = text
        self.reason = reason
    }

    static let files = [
        "04-getCollections", "05-checkpoints", "06-subChanges-oneshot", "07-subChanges-continuous",
        "08-pull-revs", "09-proposeChanges", "10-push-revs", "11-push-sync-function",
        "12-push-attachments", "14-deltas-community", "17-unknown-profile", "19-too-large",
        "20-flow-control", "21-collections", "23-late-answers", "26-norev-and-replacement",
        "30-conflicts-allowed-sg3.3.7", "31-pull-revs-sg3.3.7",
    ]

    private static let once = "getCollections comes first and once, as at Couchbase Lite"
    private static let panic = "a bad request; the server's handler crashes or calls it internal"
    private static let form = "no revision ID of a tree, or no document ID: refused at once"
    private static let notOffered = "a verb of Sync Gateway's that Couchbase Lite has not either"
    private static let opaque = "checkpoints are opaque and kept by their name alone"
    private static let everyone = "there are no channels here: the document is everybody's"
    private static let noFunction = "there is no sync function here"
    private static let gap = "histories descend one by one, as at Couchbase Lite"
    private static let itself =
        "the revision itself counts towards maxHistory, as at Couchbase Lite"
    private static let noConflict = "a listener stores no conflict and wants proposals"

    static let all: [String: [RecordedDifference]] = [
        "04-getCollections": [
            .init("#6 getCheckpoint: BLIP/500, ours HTTP/400", panic),
            .init("getCollections: {}, ours HTTP/400", once),
            .init("#4 getCheckpoint: HTTP/404, ours HTTP/400", once),
            .init("one unknown #9 getCheckpoint: HTTP/404, ours {", opaque),
            .init("#1 getCollections: {} {\"local\":7", opaque),
            .init("bad getCollections requests #2 getCollections: , ours HTTP/400", "empty list"),
            .init("getCollections: HTTP/500, ours HTTP/400", panic),
            .init("bad getCollections requests #7", "a collection twice"),
            .init("CBMobile_2 #2 getCollections: {} {}, ours HTTP/400", once),
            .init("CBMobile_2 #3 getCheckpoint", once),
        ],
        "05-checkpoints": [
            .init("setCheckpoint: HTTP/404, ours HTTP/409", "one answer for every wrong revision"),
            .init("getCheckpoint: {\"local\":105,\"z\":null}, ours {\"_id\"", opaque),
            .init("#1 getCheckpoint: HTTP/404, ours HTTP/400", "a checkpoint needs a name"),
            .init("#2 setCheckpoint: fine, ours HTTP/400", "a checkpoint needs a name"),
            .init("odd requests #3 setCheckpoint: HTTP/500, ours fine", opaque),
            .init("odd requests #4 getCheckpoint: HTTP/404, ours", opaque),
            .init("setCheckpoint: HTTP/400, ours fine", opaque),
            .init("setCheckpoint: fine, ours HTTP/413", "no more than 128 KiB are kept for a peer"),
        ],
        "06-subChanges-oneshot": [
            .init("unknown filter #1 subChanges: HTTP/400, ours HTTP/501", "not offered at all"),
            .init("channel filter without channels #1", "channels are ignored between peers"),
            .init("channels empty #1", "channels are ignored between peers"),
            .init("since not a number #1", "what is no sequence of ours means the start"),
            .init("since negative #1", "what is no sequence of ours means the start"),
            .init("docIDs with continuous #1", "document IDs hold for ever, as at Couchbase Lite"),
            .init("a refused subChanges blocks", "a refused subscription blocks nothing here"),
            .init("but a bad since does not", "what is no sequence of ours means the start"),
        ],
        "07-subChanges-continuous": [
            .init("subChanges: HTTP/500, ours fine", "a later subscription replaces one at rest"),
            .init("unsubChanges: fine, ours BLIP/404", notOffered),
            .init("#3 subChanges: HTTP/500, ours HTTP/400", "its lists are not answered yet"),
            .init("#6 subChanges: fine, ours HTTP/400", "its lists are not answered yet"),
            .init("is its own change echoed?: rev own", "nobody is told what he brought"),
        ],
        "08-pull-revs": [.init("doc long: maxHistory 3", itself)],
        "09-proposeChanges": [
            .init("#11 proposeChanges: 409, ours {\"rev\"", "`1` is true to Couchbase Lite"),
            .init("proposeChanges: HTTP/500, ours HTTP/400", panic),
            .init("proposeChanges: BLIP/500, ours HTTP/400", panic),
            .init("proposeChanges: 0, ours 400", form),
            .init("changes: HTTP/409, ours ", "an empty list asks for nothing"),
            .init("#8 changes", noConflict),
        ],
        "10-push-revs": [
            .init("documents pushed #12 rev: fine, ours HTTP/400", gap),
            .init("documents pushed #13 rev: HTTP/409, ours HTTP/400", gap),
            .init("documents pushed #14 rev: fine, ours HTTP/400", gap),
            .init("rev: HTTP/500, ours HTTP/400", panic),
            .init("rev: BLIP/500, ours HTTP/400", panic),
            .init("rev: HTTP/404, ours HTTP/400", "a reserved key: as any other bad body"),
            .init("rev: HTTP/404, ours fine", "metadata keys are stripped, as at Couchbase Lite"),
            .init("#13 rev: HTTP/400, ours fine", "metadata keys are stripped"),
            .init("#14 rev: HTTP/400, ours fine", "metadata keys are stripped"),
            .init("#19 rev: HTTP/400, ours fine", "Sync Gateway's document IDs end at 250 bytes"),
            .init("#23 rev: fine, ours HTTP/400", gap),
            .init("#24 rev: fine, ours HTTP/400", form),
            .init("#27 rev: fine, ours HTTP/400", "no number that can be kept"),
            .init("#29 rev: fine, ours HTTP/400", "no UTF-8"),
            .init("gives back for the odd bodies: rev n1", gap),
            .init("gives back for the odd bodies: rev m", gap),
            .init("gives back for the odd bodies: rev utf", "refused above"),
        ],
        "11-push-sync-function": [
            .init("rev: HTTP/403, ours fine", noFunction),
            .init("rev: HTTP/500, ours fine", noFunction),
        ],
        "12-push-attachments": [
            .init("#2 rev: HTTP/500, ours HTTP/404", "the client's own 404"),
            .init("wrong proof #4", "what is in the store already needs no proof"),
            .init("odd metadata #2 rev: HTTP/500, ours fine", "a length is not needed"),
            .init("odd metadata #4 rev: HTTP/400, ours fine", "the digest decides"),
            .init("odd metadata #5", "the revision before was stored"),
            .init("odd metadata #6", "the revision before was stored"),
            .init("odd metadata #14", "no attachments, so nothing to fetch"),
            .init("odd metadata #15", "the revision before was stored"),
            .init("how the pushed documents come back #7", "inline content is kept as it is"),
            .init("how the pushed documents come back: rev g0", "went on with its second revision"),
        ],
        "14-deltas-community": [
            .init("#2 rev: HTTP/400, ours HTTP/422", "the sender then sends it in full"),
            .init("#4 rev: HTTP/400, ours fine", "an empty source is none"),
        ],
        "17-unknown-profile": [
            .init("getRev", notOffered), .init("putRev", notOffered), .init("PING", notOffered),
            .init("unsubChanges", notOffered),
        ],
        "21-collections": [
            .init("unsubChanges: fine, ours BLIP/404", notOffered),
            .init("at once on one connection: rev", "nobody is told what he brought"),
        ],
        "23-late-answers": [
            .init(": rev s", "a listener keeps no bodies of old revisions")
        ],
        "26-norev-and-replacement": [.init("norev with-hide", everyone)],
        "30-conflicts-allowed-sg3.3.7": [
            .init("changes", noConflict),
            .init("rev: fine, ours HTTP/409", noConflict),
            .init(": rev d1", noConflict),
        ],
        "31-pull-revs-sg3.3.7": [.init("doc long: maxHistory 3", itself)],
    ]
}
