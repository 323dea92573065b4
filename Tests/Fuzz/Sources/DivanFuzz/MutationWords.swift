/// The replacements that the mutation of a conversation uses.
enum MutationWords {
    /// The ends of every range that a number of the protocol could be parsed into.
    static let numbers = [
        "0", "-1", "1", "2", "7", "20", "99", "100", "200", "304", "400", "401", "403", "404",
        "409",
        "413", "422", "429", "500", "501", "503", "999", "1000", "4001", "4999", "5000", "65535",
        "65536", "2147483647", "-2147483648", "2147483648", "4294967295", "4294967296",
        "4503599627370496", "9007199254740993", "9223372036854775807", "-9223372036854775808",
        "9223372036854775808", "18446744073709551615", "18446744073709551616",
        "99999999999999999999999", "-0", "1.5", "1e3", "1e400", "00",
    ]

    /// Those at which arithmetic overflows first.
    static let ends = [
        "9223372036854775807", "-9223372036854775808", "18446744073709551615", "4294967295",
        "2147483647", "-2147483648",
    ]

    static let texts = [
        "", "a", "b", "gone", "new", "_x", "_default", "geo.places", "1-aa", "2-bb", "0-aa", "1-",
        "-aa", "4294967295-aa", "4294967296-aa", "18446744073709551615-aa", "3-cc,2-bb,1-aa",
        "1-aa,1-aa", ",", "true", "false", "no", "::5", "1:2:3",
        "18446744073709551615:18446744073709551615:0", "9@*", "2@cafe; 1@beef",
        "sha1-qZk+NkcGgWq6PiVxeFDCbJzQ2J0=", "sha1-", "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "\\u0000", "\\ud800", "%", "{}", "[]", "cp-1", "sync_gateway/bychannel", "a,b", "rev-trees",
        "version-vectors", "null", String(repeating: "x", count: 300),
    ]

    static let domains = [
        "HTTP", "WebSocket", "LiteCore", "POSIX", "SQLite", "Fleece", "Network", "mbedTLS", "BLIP",
        "", "X",
    ]

    static let names = [
        "Profile", "collection", "id", "rev", "sequence", "seq", "history", "deleted", "deltaSrc",
        "deleted_branch", "noconflicts", "replacedRev", "error", "reason", "since", "batch",
        "continuous", "activeOnly", "revocations", "filter", "channels", "versioning", "pending",
        "client", "digest", "docID", "compress", "maxHistory", "blobs", "deltas",
        "sendReplacementRevs", "conflictIncludesRev", "checkpoint", "uuid", "Error-Domain",
        "Error-Code", Conversation.place, "code",
    ]

    static let bodies = [
        "", "null", "[]", "{}", "[{}]", "[null]", "[0]", "[[]]", "[409]", "[304]", "[1,2]",
        #"[{"status":409,"rev":"2-bb"}]"#, #"[{"status":304}]"#, #"[["1-aa"]]"#,
        #"[[1,"a","1-aa"]]"#, #"[[2,"new","2-bb",0,30],["3::4","gone","2-bb",1]]"#,
        #"[[5,"a","1-aa",2],[6,"b","",4]]"#, #"[["a","2-bb","1-aa",20],["new","1-aa"]]"#,
        #"{"local":1,"remote":2}"#, #"{"localCompleted":[0,18446744073709551615]}"#,
        #"[{"local":18446744073709551615,"remote":"1:2:3","rev":"0-1"}]"#,
        #"{"docIDs":["a","b"]}"#, #"{"_id":"x","_rev":"1-aa","n":1}"#, #"{"_removed":true}"#,
        #"{"_attachments":{"blob_/p":{"digest":"sha1-","revpos":9223372036854775807}}}"#,
        #"{"p":{"@type":"blob","digest":"sha1-qZk+NkcGgWq6PiVxeFDCbJzQ2J0=","length":-1}}"#,
        #"{"n":[1,2],"p":{"0":[0,2,3]}}"#, #"{"n":["",[1],2],"p":[]}"#, #"{"n":["5=3-2+ab|",0,2]}"#,
        #"{"checkpoint_ids":["cp-1"],"collections":["_default"]}"#,
        String(repeating: "[", count: 300), String(repeating: #"{"a":"#, count: 140),
        #"{"a":1,"a":2}"#, #"{"":0}"#, "1e400", "\u{FEFF}{}",
    ]

    /// The expected answer to each request.
    static let answers = [
        ("getCollections", #"[{"local":2,"remote":7,"localCompleted":[0,3],"rev":"0-1"}]"#),
        ("getCheckpoint", #"{"local":2,"remote":7}"#), ("proposeChanges", "[409,0,304]"),
        ("proposeChanges", #"[{"status":409,"rev":"2-bb"}]"#), ("changes", #"[["1-aa"],409,0]"#),
    ]

    static let messages: [(String, [(String, String)], String)] = [
        ("changes", [], #"[[1,"new","1-aa",0,9],[2,"a","2-bb"]]"#), ("changes", [], "[]"),
        (
            "rev",
            [("id", "new"), ("rev", "1-aa"), ("sequence", "1")], #"{"n":1,"x":[1,2,3]}"#
        ),
        ("rev", [("id", "a"), ("rev", "3-dd"), ("history", "2-bb,1-aa"), ("sequence", "2")], "{}"),
        ("rev", [("id", "a"), ("rev", "2-bb"), ("deleted", "1"), ("sequence", "2")], "{}"),
        ("rev", [("id", "a"), ("rev", "2-dd"), ("deltaSrc", "1-aa"), ("sequence", "2")], "{}"),
        ("norev", [("id", "new"), ("rev", "1-aa"), ("sequence", "1"), ("error", "404")], ""),
        ("getCollections", [], #"{"checkpoint_ids":["cp-1"],"collections":["_default"]}"#),
        ("getCheckpoint", [("client", "cp-1")], ""),
        ("setCheckpoint", [("client", "cp-1"), ("rev", "")], #"{"local":1}"#),
        ("subChanges", [("since", "0"), ("continuous", "true")], ""),
        ("proposeChanges", [("conflictIncludesRev", "true")], #"[["a","2-bb","1-aa",20]]"#),
        ("getAttachment", [("digest", "sha1-qZk+NkcGgWq6PiVxeFDCbJzQ2J0=")], ""),
        ("proveAttachment", [("digest", "sha1-qZk+NkcGgWq6PiVxeFDCbJzQ2J0=")], "nonce"),
        ("getRev", [("id", "a"), ("rev", "1-aa")], ""),
        (
            "subChanges", [("filter", "sync_gateway/bychannel"), ("channels", "a")],
            #"{"docIDs":[]}"#
        ),
    ]
}
