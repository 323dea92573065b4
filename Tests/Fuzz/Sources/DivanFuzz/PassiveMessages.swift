import DivanBLIP
import DivanDatabase
import DivanReplicator
import DivanZlib

/// After any messages a passive peer still answers, or is closed with a code; every request is answered
/// once, and no document is half stored.
enum PassiveMessages: FuzzTarget {
    static let name = "passive-peer"

    static func violation(of input: [UInt8]) -> String? {
        let options = PeerConfiguration.PassiveOptions(collections: [.default])
        var stage = MessageStage(.passive(options))
        return stage.play(input)
    }

    static func seeds() throws -> [[UInt8]] {
        let opening = MessageStage.request(
            "getCollections",
            [:],
            #"{"checkpoint_ids":["cp-1"],"collections":["_default"]}"#
        )
        let bodies: [(String, [String: String], String)] = [
            ("getCheckpoint", ["client": "cp-1"], ""),
            ("setCheckpoint", ["client": "cp-1", "rev": ""], #"{"local":1,"remote":"2::5"}"#),
            ("subChanges", ["since": #""0""#, "batch": "20"], #"{"docIDs":["a"]}"#),
            ("subChanges", ["continuous": "true", "activeOnly": "true", "revocations": "1"], ""),
            ("proposeChanges", ["conflictIncludesRev": "true"], #"[["a","2-bb","1-aa",20]]"#),
            ("changes", [:], #"[[1,"a","1-aa"],["12::34","b","2-bb",1,30]]"#),
            ("rev", ["id": "n", "rev": "2-bb", "history": "1-aa", "sequence": "3"], #"{"x":[1]}"#),
            ("rev", ["id": "a", "rev": "2-dd", "deltaSrc": "1-aa"], #"{"n":2}"#),
            ("rev", ["id": "t", "rev": "1-ee", "deleted": "1"], ""),
            (
                "rev", ["id": "p", "rev": "1-ff"],
                #"{"p":{"@type":"blob","digest":"sha1-Kq5sNclPz7QV2+lfQIuc6R7oRu0=","length":3}}"#
            ),
            ("norev", ["id": "n", "rev": "1-aa", "sequence": "4", "error": "404"], ""),
            ("getAttachment", ["digest": "sha1-Kq5sNclPz7QV2+lfQIuc6R7oRu0="], ""),
            ("proveAttachment", ["digest": "sha1-Kq5sNclPz7QV2+lfQIuc6R7oRu0="], "nonce"),
            ("getRev", ["id": "a", "rev": "1-aa"], ""), ("unknown", [:], "?"),
        ]
        let requests = bodies.map { profile, properties, body in
            let all = properties.merging(["collection": "0"]) { first, _ in first }
            return MessageStage.request(profile, all, body)
        }
        let reply = MessageStage.reply("[[],0,[\"1-aa\"]]")
        return requests.map { opening + $0 + reply } + [opening + requests.flatMap { $0 } + reply]
    }
}

/// After any replies and messages an active peer still syncs, or is closed with a code.
enum ActiveMessages: FuzzTarget {
    static let name = "active-peer"

    static func violation(of input: [UInt8]) -> String? {
        let options = PeerConfiguration.ActiveOptions(
            pushes: true,
            pulls: true,
            isContinuous: true,
            collections: [.init(.default)],
            remoteIdentity: "ws://there:4984/db/_blipsync"
        )
        var stage = MessageStage(.active(options))
        return stage.play(input)
    }

    static func seeds() throws -> [[UInt8]] {
        let opening = MessageStage.reply("[{}]")
        let changes = MessageStage.request(
            "changes",
            ["collection": "0"],
            #"[[1,"x","1-aa"],["12::34","y","2-bb",1,30],[3,"z","1-cc"]]"#
        )
        let revisions = [("x", "1-aa"), ("y", "2-bb"), ("z", "1-cc")].map { id, revision in
            MessageStage.request(
                "rev",
                ["collection": "0", "id": id, "rev": revision, "sequence": "1"],
                #"{"a":1}"#
            )
        }
        let answers = ["", "[0,[\"1-aa\"]]", "[]", "[409]", "[{\"status\":409,\"rev\":\"2-bb\"}]"]
        let end = MessageStage.request("changes", ["collection": "0"], "null")
        return answers.map { opening + MessageStage.reply("") + MessageStage.reply($0) + changes }
            + [opening + changes + revisions.flatMap { $0 } + end]
            + [MessageStage.refusal("404"), opening + MessageStage.refusal("404") + changes]
    }
}
