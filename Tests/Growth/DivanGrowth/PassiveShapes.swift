import DivanBLIP
import DivanDatabase
import DivanReplicator
import DivanRevisions

/// Requests that differ only in a number.
private func asking(
    _ profile: String,
    _ request: @escaping @Sendable (Int) -> (BLIPProperties, String)
) -> @Sendable (Int) throws -> () throws -> Void {
    { count in
        var client = ScriptedPeer.client()
        let requests = (0..<count).map(request)
        return {
            for (own, body) in requests {
                var properties: BLIPProperties = ["Profile": profile, "collection": "0"]
                properties.append(contentsOf: own)
                client.send(properties, Array(body.utf8))
            }
            client.settle()
        }
    }
}

private func listing(
    _ profile: String,
    _ item: @escaping @Sendable (Int) -> String
) -> @Sendable (Int) throws -> () throws -> Void {
    { count in
        var client = ScriptedPeer.client()
        let body = "[" + (0..<count).map(item).joined(separator: ",") + "]"
        return { client.ask(["Profile": profile, "collection": "0"], body) }
    }
}

private func storeWithBlob(_ byteCount: Int) throws -> (Store, String) {
    let store = Store.inMemory()
    let digest = try store.blobs.write([UInt8](repeating: 7, count: byteCount))
    return (store, digest.description)
}

private func fill(_ store: Store, _ count: Int) throws {
    try store.write { writer in
        for number in 0..<count {
            _ = try writer.save(
                DocumentID(unchecked: "d\(number)"),
                in: .default,
                body: Array("{}".utf8),
                isTombstone: false,
                hasBlobs: false,
                parent: .current
            )
        }
    }
}

let passiveShapes: [Shape] = [
    Shape("getCollections", "names that are not here", from: 100, to: 1_000) { count in
        let names = (0..<count).map { "\"n\($0)\"" }.joined(separator: ",")
        let body = #"{"checkpoint_ids":[\#(names)],"collections":[\#(names)]}"#
        return {
            for _ in 0..<10 {
                var client = ScriptedPeer.client()
                client.ask(["Profile": "getCollections"], body)
            }
        }
    },
    Shape(
        "getCheckpoint",
        "one by one",
        from: 200,
        to: 8_000,
        asking("getCheckpoint") { number in
            (["client": "c\(number)"], "")
        }
    ),
    Shape(
        "setCheckpoint",
        "each under another name",
        from: 200,
        to: 8_000,
        asking("setCheckpoint") {
            (["client": "c\($0)"], #"{"local":1}"#)
        }
    ),
    Shape(
        "changes",
        "a list that must be proposed instead",
        from: 200,
        to: 10_000,
        listing("changes") {
            #"[\#($0),"d\#($0)","1-aa"]"#
        }
    ),
    Shape(
        "proposeChanges",
        "documents that are not here",
        from: 200,
        to: 10_000,
        listing("proposeChanges") { #"["d\#($0)","1-aa"]"# }
    ),
    Shape("proposeChanges", "one document with many branches", from: 100, to: 10_000) { count in
        var client = ScriptedPeer.client()
        for number in 0..<60 { client.recreate("d", number) }
        let body = "[" + (0..<count).map { #"["d","3-\#(digits($0))0"]"# }.joined(separator: ",")
        return { client.ask(["Profile": "proposeChanges", "collection": "0"], body + "]") }
    },
    Shape("subChanges", "the IDs of many documents", from: 1_000, to: 400_000) { count in
        var client = ScriptedPeer.client()
        let ids = (0..<count).map { "\"d\($0)\"" }.joined(separator: ",")
        let body = #"{"docIDs":[\#(ids)]}"#
        return { client.ask(["Profile": "subChanges", "collection": "0"], body) }
    },
    Shape("subChanges", "an ID that none of many documents has", from: 500, to: 40_000) { count in
        var client = ScriptedPeer.client()
        try fill(client.store, count)
        return {
            client.send(
                ["Profile": "subChanges", "collection": "0"],
                Array(#"{"docIDs":["other"]}"#.utf8)
            )
            client.settle()
        }
    },
    Shape("answers to changes", "everything is wanted", from: 200, to: 20_000) { count in
        var client = ScriptedPeer.client()
        try fill(client.store, count)
        return {
            client.ask(["Profile": "subChanges", "collection": "0"])
            client.answerAll { request in
                guard request.profile == "changes" else { return .empty }
                let items = request.body.count(where: { $0 == UInt8(ascii: "[") }) - 1
                let wanted = Array(repeating: "[]", count: max(0, items)).joined(separator: ",")
                return BLIPReply(body: .bytes(Array("[\(wanted)]".utf8)))
            }
        }
    },
    Shape("getAttachment", "contents that are never read", from: 100, to: 1_000) { count in
        let (store, digest) = try storeWithBlob(200_000)
        var client = ScriptedPeer.client(of: store)
        client.isDeaf = true
        return {
            for _ in 0..<count {
                client.send(["Profile": "getAttachment", "collection": "0", "digest": digest])
            }
            client.exchange()
        }
    },
    Shape("getAttachment", "many small contents", from: 100, to: 900) { count in
        let (store, digest) = try storeWithBlob(1_000)
        var client = ScriptedPeer.client(of: store)
        return {
            for _ in 0..<count {
                client.send(["Profile": "getAttachment", "collection": "0", "digest": digest])
            }
            client.settle()
        }
    },
    Shape("proveAttachment", "of a large content", from: 1 << 18, to: 64 << 20) { count in
        let (store, digest) = try storeWithBlob(count)
        var client = ScriptedPeer.client(of: store)
        return {
            client.send(
                ["Profile": "proveAttachment", "collection": "0", "digest": digest],
                [1, 2, 3]
            )
            client.settle()
        }
    },
    Shape("proveAttachment", "many proofs of one content", from: 50, to: 900) { count in
        let (store, digest) = try storeWithBlob(20_000)
        var client = ScriptedPeer.client(of: store)
        return {
            for _ in 0..<count {
                client.send(
                    ["Profile": "proveAttachment", "collection": "0", "digest": digest],
                    [1, 2, 3]
                )
            }
            client.settle()
        }
    },
    Shape(
        "norev",
        "one by one",
        from: 500,
        to: 8_000,
        asking("norev") {
            (["sequence": "\($0)"], "")
        }
    ),
    Shape("unknown profiles", "one by one", from: 500, to: 8_000, asking("x") { _ in ([:], "") }),
]
