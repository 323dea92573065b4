import DivanBLIP
import DivanReplicator
import DivanRevisions
import DivanStore
import DivanTestKit
import Testing

/// An active peer against servers that refuse, withdraw, or misbehave.
@Suite struct ServerTests {
    private static let zero: BLIPProperties = ["collection": "0"]

    private func options(
        pushes: Bool = false,
        pulls: Bool = true,
        _ change: (inout PeerConfiguration.CollectionOptions) -> Void = { _ in }
    ) -> Conversation.Options {
        var collection = PeerConfiguration.CollectionOptions(.default)
        change(&collection)
        var options = Conversation.Options(pushes: pushes, pulls: pulls)
        options.collections = [collection]
        return options
    }

    private func revision(_ id: String, _ rev: String, _ sequence: String) -> BLIPProperties {
        ["collection": "0", "id": id, "rev": rev, "sequence": sequence]
    }

    @Test func `subChanges contains every property that Sync Gateway reads`() throws {
        let site = try Site()
        let wanted = options { collection in
            collection.channels = ["a", "b"]
            collection.documentIDs = ["x"]
        }
        var server = try Counterpart.server(site, wanted)
        let request = try server.answer("subChanges")
        #expect(request.properties["filter"] == "sync_gateway/bychannel")
        #expect(request.properties["channels"] == "a,b")
        #expect(request.properties["batch"] == "200")
        #expect(request.properties["versioning"] == "rev-trees")
        #expect(request.properties["activeOnly"] == "true")
        #expect(request.properties["since"] == nil)
        #expect(request.body == Array(#"{"docIDs":["x"]}"#.utf8))
    }

    /// It fell back to a copy from before its first document, and another of its peers may bring one back.
    @Test func `an empty database with a checkpoint on the server also pulls tombstones`() throws {
        var server = Counterpart(options().active, try Site())
        try server.answer("getCollections", #"[{"_rev":"0-1","local":7,"time":5}]"#)
        #expect(try server.take("subChanges").properties["activeOnly"] == nil)
    }

    @Test func `compound sequences are kept unchanged`() throws {
        let site = try Site()
        var server = try Counterpart.server(site, options())
        try server.answer("subChanges")
        let reply = server.ask("changes", Self.zero, #"[["12:5","a","1-aa"],[13,"b","1-bb"]]"#)
        #expect(reply?.body == Array("[[],[]]".utf8))
        server.ask("changes", Self.zero, "null", isNoReply: true)
        server.ask("rev", revision("b", "1-bb", "13"), "{}")
        server.ask("rev", revision("a", "1-aa", #""12:5""#), "{}")
        let saved = try server.answer("setCheckpoint", "", ["rev": "0-1"])
        #expect(Checkpoint(json: saved.body).remote == RemoteSequence(13))
        #expect(server.closeCode == 1000)

        var again = Counterpart(options().active, site)
        try again.answer("getCollections", #"[{"_rev":"0-1","remote":"12:5","time":5}]"#)
        #expect(try again.take("subChanges").properties["since"] == #""12:5""#)
    }

    @Test(arguments: [2, 3, 4, 6, 7])
    func `documents that the user lost access to are purged`(flags: Int) throws {
        let site = try Site()
        try site.put("a", ["1-aa"], "{}")
        var server = try Counterpart.server(site, options())
        let request = try server.answer("subChanges")
        #expect(request.properties["revocations"] == "true")
        let reply = server.ask("changes", Self.zero, #"[[5,"a","2-bb",\#(flags)]]"#)
        #expect(reply?.body == Array("[]".utf8))
        #expect(try site.contents() == [:])
        let isDeleted = flags & 1 != 0
        #expect(
            server.events.map(\.flags) == [isDeleted ? [.accessRemoved, .deleted] : .accessRemoved]
        )
    }

    @Test func `Booleans in a version 2 changes list mark tombstones`() throws {
        let site = try Site()
        try site.put("a", ["1-aa"], "{}")
        var server = Counterpart(options().active, site, version: .version2)
        try server.refuse("getCheckpoint", "HTTP", 404)
        try server.answer("subChanges")
        let reply = server.ask("changes", [:], #"[[5,"a","2-bb",true],[6,"b","1-bb",false]]"#)
        #expect(reply?.body == Array(#"[["1-aa"],[]]"#.utf8))
        let properties: BLIPProperties = [
            "id": "a", "rev": "2-bb", "sequence": "5", "history": "1-aa", "deleted": "true",
        ]
        server.ask("rev", properties, "{}")
        #expect(server.events.map(\.flags) == [.deleted])
        #expect(try site.body("a") == nil)
    }

    @Test func `a version 2 revision with _removed purges the document`() throws {
        let site = try Site()
        try site.put("a", ["1-aa"], "{}")
        var server = Counterpart(options().active, site, version: .version2)
        try server.refuse("getCheckpoint", "HTTP", 404)
        try server.answer("subChanges")
        server.ask("changes", [:], #"[[5,"a","2-bb"]]"#)
        let properties: BLIPProperties = ["id": "a", "rev": "2-bb", "sequence": "5"]
        server.ask("rev", properties, #"{"_removed":true}"#, isNoReply: true)
        #expect(try site.contents() == [:])
        #expect(server.events.map(\.flags) == [.accessRemoved])
    }

    /// The user lost the channel of the second revision, and has that of the third.
    @Test func `a removed revision does not remove a later one`() throws {
        let site = try Site()
        var server = try Counterpart.server(site, options())
        try server.answer("subChanges")
        server.ask("changes", Self.zero, #"[[5,"a","2-bb"]]"#)
        server.ask("changes", Self.zero, #"[[9,"a","3-cc"]]"#)
        server.ask("rev", revision("a", "3-cc", "9").adding("history", "2-bb"), #"{"v":3}"#)
        server.ask("rev", revision("a", "2-bb", "5"), #"{"_removed":true}"#, isNoReply: true)
        server.ask("changes", Self.zero, "null", isNoReply: true)
        #expect(try site.body("a") == #"{"v":3}"#)
        #expect(server.events.map(\.flags) == [[]])
        let saved = try server.answer("setCheckpoint", "", ["rev": "0-1"])
        #expect(Checkpoint(json: saved.body).remote == RemoteSequence(9))
    }

    @Test func `a pull filter can prevent a purge`() throws {
        let site = try Site()
        try site.put("a", ["1-aa"], "{}")
        let vetoing = options { collection in
            collection.pullFilter = { !$0.flags.contains(.accessRemoved) }
        }
        var server = try Counterpart.server(site, vetoing)
        try server.answer("subChanges")
        server.ask("changes", Self.zero, #"[[5,"a","2-bb",2]]"#)
        #expect(try site.contents().count == 1)
        #expect(server.events.map(\.error?.code) == [403])
    }

    @Test func `norev ends the wait for a revision`() throws {
        var server = try Counterpart.server(try Site(), options())
        try server.answer("subChanges")
        server.ask("changes", Self.zero, #"[[5,"a","1-aa"]]"#)
        server.ask("changes", Self.zero, "null", isNoReply: true)
        #expect(server.closeCode == nil)
        server.ask("norev", revision("a", "1-aa", "5"), isNoReply: true)
        try server.answer("setCheckpoint", "", ["rev": "0-1"])
        #expect(server.closeCode == 1000)
        #expect(server.events == [])
    }

    /// Sync Gateway before 3.3.3, and 4.0 before 4.0.3, writes no quotes there (CBG-5051).
    @Test(arguments: [#""12:5""#, #""4::9""#, #""3:12:5""#, #""5""#])
    func `norev is matched even if its sequence lacks quotes`(sequence: String) throws {
        var server = try Counterpart.server(try Site(), options())
        try server.answer("subChanges")
        server.ask("changes", Self.zero, "[[\(sequence),\"a\",\"1-aa\"]]")
        server.ask("changes", Self.zero, "null", isNoReply: true)
        let bare = sequence.filter { $0 != "\"" }
        server.ask("norev", revision("a", "1-aa", bare), isNoReply: true)
        let saved = try server.answer("setCheckpoint", "", ["rev": "0-1"])
        #expect(Checkpoint(json: saved.body).remote?.json == sequence)
        #expect(server.closeCode == 1000)
        #expect(server.events == [])
    }

    @Test func `an invalid revision ID is reported and the others are pulled`() throws {
        let site = try Site()
        var server = try Counterpart.server(site, options())
        try server.answer("subChanges")
        let reply = server.ask("changes", Self.zero, #"[[5,"a","1-junk!"],[6,"b","1-bb"]]"#)
        #expect(reply?.body == Array("[0,[]]".utf8))
        #expect(server.events.map(\.error?.code) == [400])
    }

    @Test func `a revision refused with 403 is retried once`() throws {
        let site = try Site()
        try site.save("a", "{}")
        var server = try Counterpart.server(site, options(pushes: true, pulls: false))
        try server.answer("proposeChanges", "[]")
        try server.refuse("rev", "HTTP", 403)
        #expect(server.events == [])
        try server.refuse("rev", "HTTP", 403)
        #expect(server.events.map(\.error?.code) == [403])
        let saved = try server.answer("setCheckpoint", "", ["rev": "0-1"])
        #expect(Checkpoint(json: saved.body).completed == SequenceSet(through: 1))
        #expect(server.closeCode == 1000)
    }

    @Test(arguments: [(409, true), (404, true), (500, true), (408, false), (502, false)])
    func `a pushed revision with an error counts as done unless the error is temporary`(
        code: Int,
        isDone: Bool
    ) throws {
        let site = try Site()
        try site.save("a", "{}")
        var server = try Counterpart.server(site, options(pushes: true, pulls: false))
        try server.answer("proposeChanges", "[]")
        try server.refuse("rev", "HTTP", code)
        #expect(server.events.map(\.error?.code) == [code])
        if isDone { try server.answer("setCheckpoint", "", ["rev": "0-1"]) }
        #expect(server.closeCode == 1000)
        // What is not done is proposed again.
        var next = Counterpart(options(pushes: true, pulls: false).active, site)
        let copy = isDone ? #"[{"local":1,"rev":"0-1"}]"# : "[{}]"
        try next.answer("getCollections", copy)
        let offered = try next.take("proposeChanges").body
        #expect((offered == Array("[]".utf8)) == isDone)
    }

    @Test func `503 closes with 4001 so that the connection is retried`() throws {
        let site = try Site()
        try site.save("a", "{}")
        var server = try Counterpart.server(site, options(pushes: true))
        try server.answer("proposeChanges", "[]")
        try server.refuse("rev", "HTTP", 503)
        #expect(server.closeCode == 4001)
        #expect(server.error?.isTransient == true)
    }

    @Test func `the error that closes the connection replaces an earlier error`() throws {
        let site = try Site()
        try site.save("a", "{}")
        var server = try Counterpart.server(site, options(pushes: true))
        server.ask("changes", ["collection": "0"], "no list")
        try server.answer("proposeChanges", "[]")
        try server.refuse("rev", "HTTP", 503)
        #expect(server.closeCode == 4001)
        #expect(server.error?.code == 503)
    }

    @Test(arguments: [404, 409])
    func `a checkpoint that no longer exists on the server is created again`(code: Int) throws {
        let site = try Site()
        try site.save("a", "{}")
        var server = Counterpart(options(pushes: true, pulls: false).active, site)
        try server.answer("getCollections", #"[{"local":0,"rev":"0-7"}]"#)
        try server.answer("proposeChanges", "[]")
        try server.answer("rev")
        #expect(try server.refuse("setCheckpoint", "HTTP", code).properties["rev"] == "0-7")
        #expect(!server.peer.hasSavedProgress)
        try server.refuse("getCheckpoint", "HTTP", 404)
        #expect(try server.answer("setCheckpoint", "", ["rev": "0-1"]).properties["rev"] == "")
        #expect(server.peer.hasSavedProgress)
        #expect(server.closeCode == 1000)
    }

    @Test(arguments: [("HTTP", 400, 4002), ("HTTP", 403, 4002), ("BLIP", 500, 4002)])
    func `a subscription error ends the replication`(
        domain: String,
        code: Int,
        closeCode: UInt16
    ) throws {
        var server = try Counterpart.server(try Site(), options())
        try server.refuse("subChanges", domain, code)
        // The collection's name may have caused the bad request: it is retried without.
        if code == 400 { try server.refuse("getCheckpoint", domain, code) }
        #expect(server.closeCode == closeCode)
        #expect(server.error != nil)
    }

    @Test func `a checkpoint saved by another client in the meantime is updated`() throws {
        let site = try Site()
        try site.save("a", "{}")
        var server = try Counterpart.server(site, options(pushes: true, pulls: false))
        try server.answer("proposeChanges", "[304]")
        try server.refuse("setCheckpoint", "HTTP", 409)
        try server.answer("getCheckpoint", #"{"local":7}"#, ["rev": "0-4"])
        let again = try server.answer("setCheckpoint", "", ["rev": "0-5"])
        #expect(again.properties["rev"] == "0-4")
        #expect(server.closeCode == 1000)
    }

    @Test(arguments: [true, false])
    func `stopping saves a checkpoint, or gives up after two seconds`(answers: Bool) throws {
        let site = try Site()
        try site.save("a", "{}")
        try site.save("b", "{}")
        var server = try Counterpart.server(site, options(pushes: true, pulls: false))
        try server.answer("proposeChanges", "[304]")
        server.peer.stop(at: .seconds(1))
        server.exchange()
        #expect(server.closeCode == nil)
        #expect(server.peer.deadline == .seconds(3))
        if answers {
            let saved = try server.answer("setCheckpoint", "", ["rev": "0-1"])
            #expect(Checkpoint(json: saved.body).completed == SequenceSet(through: 1))
        } else {
            server.peer.advance(to: .seconds(3))
            server.exchange()
        }
        #expect(server.closeCode == 1000)
        #expect(server.error == nil)
    }

    @Test func `a conflict with one of our ancestors is proposed again with that ancestor`() throws
    {
        let site = try Site()
        try site.put("a", ["3-cc", "2-bb", "1-aa"], "{}")
        var server = try Counterpart.server(site, options(pushes: true))
        try server.answer("proposeChanges", #"[{"status":409,"rev":"2-bb"}]"#)
        let again = try server.answer("proposeChanges", "[]")
        #expect(String(decoding: again.body, as: UTF8.self).hasPrefix(#"[["a","3-cc","2-bb""#))
        #expect(try server.take("rev").properties["history"] == "2-bb")
    }

    @Test func `a peer that keeps reporting wrong ancestors is not asked forever`() throws {
        let site = try Site()
        try site.put("a", ["3-cc", "2-bb", "1-aa"], "{}")
        var server = try Counterpart.server(site, options(pushes: true, pulls: false))
        for round in 0..<10
        where server.requests.contains(where: { $0.profile == "proposeChanges" }) {
            let rev = round % 2 == 0 ? "2-bb" : "1-aa"
            try server.answer("proposeChanges", #"[{"status":409,"rev":"\#(rev)"}]"#)
        }
        #expect(server.events.map(\.error?.code) == [409])
    }

    @Test func `an invalid reply to proposals ends the replication`() throws {
        let site = try Site()
        try site.save("a", "{}")
        var server = try Counterpart.server(site, options(pushes: true))
        try server.answer("proposeChanges", "[0,0]")
        #expect(server.closeCode == 4002)
    }

    @Test(arguments: ["{}", "[[]]", "[[1]]", #"[[1,"a"]]"#, "[[1,2,3]]", "[", #"[[1,"a","1-aa"]"#])
    func `a malformed changes list is a bad request`(body: String) throws {
        var server = try Counterpart.server(try Site(), options())
        try server.answer("subChanges")
        let reply = server.ask("changes", Self.zero, body)
        #expect(reply?.error?.code == 400)
    }

    @Test func `a peer that announces too many changes is throttled, then disconnected`() throws {
        var limited = options()
        limited.limits.requestedRevisionsCount = 5
        limited.limits.waitingListsCount = 3
        var server = try Counterpart.server(try Site(), limited)
        try server.answer("subChanges")
        let entries = (0..<8).map { #"[\#($0),"d\#($0)","1-aa"]"# }.joined(separator: ",")
        #expect(server.ask("changes", Self.zero, "[\(entries)]") != nil)
        for _ in 0..<3 { #expect(server.ask("changes", Self.zero, "[\(entries)]") == nil) }
        #expect(server.closeCode == nil)
        server.ask("changes", Self.zero, "[\(entries)]")
        #expect(server.closeCode == 4002)
    }

    @Test(arguments: UInt64(0)..<60)
    func `malformed messages never trap`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let profiles = ["changes", "rev", "norev", "getAttachment", "proveAttachment", "x", ""]
        let values = [
            "0", "1-aa", "2-bb,1-aa", "", "-1", "1e9", "[]", "{}", "null", "true", "a", "\"5\"",
            "9223372036854775807", #"[[1,"a","1-aa",1e3]]"#, #"[[1,"a","1-aa",-9,[]]]"#,
            #"[["5:6","b","1-aa",7]]"#, #"{"@type":"blob","digest":"sha1-","_attachments":3}"#,
            #"{"p":{"@type":"blob","digest":"\#(BlobDigest(hashing: [1].span))"}}"#,
            #"{"_attachments":{"blob_/a/0":{"digest":"x"},"b":{"digest":1}},"a":[{}]}"#,
        ]
        let names = ["id", "rev", "history", "sequence", "deleted", "error", "digest", "deltaSrc"]
        var server = try Counterpart.server(try Site(), .init(isContinuous: true))
        for _ in 0..<30 {
            var properties = Self.zero
            for name in names where Bool.random(using: &generator) {
                properties.append(name, values.randomElement(using: &generator) ?? "")
            }
            server.ask(
                profiles.randomElement(using: &generator) ?? "",
                properties,
                values.randomElement(using: &generator) ?? "",
                isNoReply: Bool.random(using: &generator)
            )
            if let open = server.requests.first?.profile {
                try server.answer(open, values.randomElement(using: &generator) ?? "")
            }
        }
        // In any case the engine is in one of its states.
        #expect(server.closeCode == nil || server.error != nil, "seed \(seed)")
    }

    @Test func `absurd sizes do not overflow the progress`() throws {
        var options = options()
        options.limits.announcedByteCount = .max
        var server = try Counterpart.server(try Site(), options)
        try server.answer("subChanges")
        let entries = (0..<9).map { #"[\#($0),"d\#($0)","1-aa",0,\#(Int.max)]"# }
        server.ask("changes", Self.zero, "[\(entries.joined(separator: ","))]")
        let blob = #"{"pic":{"@type":"blob","digest":"\#(BlobDigest(hashing: [1].span))","#
        for number in 0..<9 {
            // The longest that is requested.
            let body = blob + #""length":\#(ReplicatorLimits().blobByteCount)}}"#
            server.ask("rev", revision("d\(number)", "1-aa", "\(number)"), body)
        }
        #expect(server.closeCode == nil)
        #expect(server.requests.filter { $0.profile == "getAttachment" }.count == 1)
    }

    @Test func `bytes that are not BLIP close the connection`() throws {
        var server = try Counterpart.server(try Site(), options())
        server.send(raw: [1, 0, 0, 9, 9])
        #expect(server.closeCode == 1002)
        #expect(server.error != nil)
    }
}
