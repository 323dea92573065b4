extension LanguageCheck {
    /// The phrases; a good text that a rule reports becomes an exception.
    static let rules: [LanguageRule] = [
        // What programs do.
        .init(
            "tells !them|it|you|a|an|each|every|both|apart|peers|clients|others",
            "say shows, prints, reports or lists"
        ),
        .init("^tell whether|why|how|which|what|when|where", "say show, print or report"),
        .init(
            "and|or|that|also tell whether|why|how|which|what|when|where",
            "say shows, prints or reports"
        ),
        .init("is|are|was|were|be|been told !to|that|apart", "say is notified, or receives"),
        .init("hears|hear of", "say is notified of"),
        .init("say|says to each other", "say exchange"),
        // Places.
        .init(
            "stand|stands|stood in|there|here|beside|under|below|above|behind|on|at|between !for",
            "say is in, is stored in, or contains"
        ),
        .init("may|can|must|should stand", "say is in, is stored in, or contains"),
        .init("beside", "say next to, in addition to, or while … is running"),
        .init("that|what|which is|are|was|were there", "say existing: an existing file"),
        .init("is|are|was|were not there", "say does not exist, or not found"),
        .init("^there is|are|was|were none", "say does not exist, or not found"),
        .init("known here", "say locally, or in this database"),
        .init("left|stayed at the peer", "say not downloaded yet"),
        .init("on its|their way !to", "say in flight, or not sent yet"),
        // Conditions.
        .init(
            "is|are|be|stays|stay|was|were whole !names|numbers",
            "say intact, complete or valid"
        ),
        .init("anew", "say recreate, rebuild, or again"),
        .init("is|are|was|were|be gone", "say deleted, removed, or no longer exists"),
        .init("gone since", "say deleted since"),
        .init("level with", "say in sync, or up to date"),
        .init("without end !marker", "say indefinitely, or forever"),
        .init("again and again", "say repeatedly, or name the interval"),
        .init("until ctrl-c", "say until interrupted (Ctrl-C)"),
        .init("no way back", "say cannot be undone"),
        .init("its mode stays", "say keeps its permissions"),
        // Data.
        .init("brings|brought !down|back|to|up", "say downloads, sends, or adds"),
        .init("hands|hand|handed on", "say returns, or passes"),
        .init("hands|hand it|them|one on", "say returns, or passes"),
        .init("goes|go|went|going on !to", "say continues, or runs"),
        .init("wants *", "say requires, or expects"),
        .init("knows|know no", "say does not have, or does not recognize"),
        .init("be|is|are let in", "say be authorized, or be granted access"),
        .init("look|looks|looked|looking at", "say check, inspect or read"),
        .init("looks on", "say observes, or watches"),
        .init("made of what", "name what it is made from"),
        .init("mend|mends|mended", "say repair, fix or correct"),
        // Subjects.
        .init("nobody", "name the subject, or use the passive: without asking, not used"),
        .init("somebody", "name the subject: another process, a client, you"),
        .init("everybody", "say anyone, or every client"),
        .init("somebody's|nobody's|everybody's", "name the owner"),
        .init("^who may|asks|comes", "name the subject: the client, the process"),
        .init("who asks|brings|looks|holds", "name the subject: the client, the process"),
        .init("by who|whoever|whomever", "say by clients that, by a process that"),
        .init("that which", "name the thing"),
        .init("what is|are no !longer|more", "name the thing: an invalid path"),
        .init("that|which|what|it|this is no !longer|more", "say is not a"),
        .init("a|an|the * is no !longer|more", "say is not a"),
        .init("do|does|doing no harm", "say is harmless, or has no effect"),
        .init("keep|keeps|kept others out", "say is exclusive"),
        .init("is no *'s", "say is not from, or does not come from"),
        .init("whatever it|they is|are", "say any"),
        .init("of one's own", "say custom"),
        .init("of ours|theirs|yours", "use a possessive: our, their, your"),
        .init("that|this one's", "use a possessive noun"),
        .init("mistakes of", "say usage errors, or invalid queries"),
        .init("is all of it", "say the result, or name the value"),
        // Metaphors.
        .init("door|doors|kitchen|shelf|shelves", "use the real name of the thing"),
        // Terms.
        .init(
            "sealed|seals|unsealed|unseals|sealing",
            "say encrypted, encrypts, decrypted",
            scope: .messages
        ),
        .init("packed|packs|unpacked", "say compressed, or compresses", scope: .messages),
        .init("another key does not open it", "say wrong encryption key"),
    ]

    /// Uses of the phrases that are right.
    static let exceptions = [
        Exception(
            file: "Docs/examples/Tests/GuideTests/TestingYourApp.swift",
            phrase: "kitchen",
            reason: "the sample app of the guide sends orders to a kitchen"
        )
    ]
}
