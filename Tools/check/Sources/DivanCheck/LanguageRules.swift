extension LanguageCheck {
    /// The phrases; a good text that a rule reports becomes an exception.
    public static let rules: [LanguageRule] = [
        // What programs do.
        LanguageRule(
            "tells !them|it|you|a|an|each|every|both|apart|peers|clients|others",
            "say shows, prints, reports or lists"
        ),
        LanguageRule("^tell whether|why|how|which|what|when|where", "say show, print or report"),
        LanguageRule(
            "and|or|that|also tell whether|why|how|which|what|when|where",
            "say shows, prints or reports"
        ),
        LanguageRule("is|are|was|were|be|been told !to|that|apart", "say is notified, or receives"),
        LanguageRule("hears|hear of", "say is notified of"),
        LanguageRule("say|says to each other", "say exchange"),
        // Places.
        LanguageRule(
            "stand|stands|stood in|there|here|beside|under|below|above|behind|on|at|between !for",
            "say is in, is stored in, or contains"
        ),
        LanguageRule("may|can|must|should stand", "say is in, is stored in, or contains"),
        LanguageRule("beside", "say next to, in addition to, or while … is running"),
        LanguageRule("that|what|which is|are|was|were there", "say existing: an existing file"),
        LanguageRule("is|are|was|were not there", "say does not exist, or not found"),
        LanguageRule("^there is|are|was|were none", "say does not exist, or not found"),
        LanguageRule("known here", "say locally, or in this database"),
        LanguageRule("left|stayed at the peer", "say not downloaded yet"),
        LanguageRule("on its|their way !to", "say in flight, or not sent yet"),
        // Conditions.
        LanguageRule(
            "is|are|be|stays|stay|was|were whole !names|numbers",
            "say intact, complete or valid"
        ),
        LanguageRule("anew", "say recreate, rebuild, or again"),
        LanguageRule("is|are|was|were|be gone", "say deleted, removed, or no longer exists"),
        LanguageRule("gone since", "say deleted since"),
        LanguageRule("level with", "say in sync, or up to date"),
        LanguageRule("without end !marker", "say indefinitely, or forever"),
        LanguageRule("again and again", "say repeatedly, or name the interval"),
        LanguageRule("until ctrl-c", "say until interrupted (Ctrl-C)"),
        LanguageRule("no way back", "say cannot be undone"),
        LanguageRule("its mode stays", "say keeps its permissions"),
        // Data.
        LanguageRule("brings|brought !down|back|to|up", "say downloads, sends, or adds"),
        LanguageRule("hands|hand|handed on", "say returns, or passes"),
        LanguageRule("hands|hand it|them|one on", "say returns, or passes"),
        LanguageRule("goes|go|went|going on !to", "say continues, or runs"),
        LanguageRule("wants *", "say requires, or expects"),
        LanguageRule("knows|know no", "say does not have, or does not recognize"),
        LanguageRule("be|is|are let in", "say be authorized, or be granted access"),
        LanguageRule("look|looks|looked|looking at", "say check, inspect or read"),
        LanguageRule("looks on", "say observes, or watches"),
        LanguageRule("made of what", "name what it is made from"),
        LanguageRule("mend|mends|mended", "say repair, fix or correct"),
        // Subjects.
        LanguageRule("nobody", "name the subject, or use the passive: without asking, not used"),
        LanguageRule("somebody", "name the subject: another process, a client, you"),
        LanguageRule("everybody", "say anyone, or every client"),
        LanguageRule("somebody's|nobody's|everybody's", "name the owner"),
        LanguageRule("^who may|asks|comes", "name the subject: the client, the process"),
        LanguageRule("who asks|brings|looks|holds", "name the subject: the client, the process"),
        LanguageRule("by who|whoever|whomever", "say by clients that, by a process that"),
        LanguageRule("that which", "name the thing"),
        LanguageRule("what is|are no !longer|more", "name the thing: an invalid path"),
        LanguageRule("that|which|what|it|this is no !longer|more", "say is not a"),
        LanguageRule("a|an|the * is no !longer|more", "say is not a"),
        LanguageRule("do|does|doing no harm", "say is harmless, or has no effect"),
        LanguageRule("keep|keeps|kept others out", "say is exclusive"),
        LanguageRule("is no *'s", "say is not from, or does not come from"),
        LanguageRule("whatever it|they is|are", "say any"),
        LanguageRule("of one's own", "say custom"),
        LanguageRule("of ours|theirs|yours", "use a possessive: our, their, your"),
        LanguageRule("that|this one's", "use a possessive noun"),
        LanguageRule("mistakes of", "say usage errors, or invalid queries"),
        LanguageRule("is all of it", "say the result, or name the value"),
        // Metaphors.
        LanguageRule("door|doors|kitchen|shelf|shelves", "use the real name of the thing"),
        // Terms.
        LanguageRule(
            "sealed|seals|unsealed|unseals|sealing",
            "say encrypted, encrypts, decrypted",
            scope: .messages
        ),
        LanguageRule("packed|packs|unpacked", "say compressed, or compresses", scope: .messages),
        LanguageRule("another key does not open it", "say wrong encryption key"),
    ]

    /// Uses of the phrases that are right.
    public static let exceptions = [
        Exception(
            "Docs/examples/Tests/GuideTests/TestingYourApp.swift",
            "kitchen",
            reason: "the sample app of the guide sends orders to a kitchen"
        )
    ]
}
