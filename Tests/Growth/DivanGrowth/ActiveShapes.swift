import DivanBLIP
import DivanDatabase
import DivanReplicator
import DivanRevisions

private func changes(_ range: Range<Int>, _ prefix: String = "d") -> String {
    "[" + range.map { #"[\#($0 + 1),"\#(prefix)\#($0)","1-aa"]"# }.joined(separator: ",") + "]"
}

private let changesHead: BLIPProperties = ["Profile": "changes", "collection": "0"]

private func revision(_ documentID: String, _ sequence: Int) -> BLIPProperties {
    [
        "Profile": "rev", "collection": "0", "id": documentID, "rev": "1-aa",
        "sequence": "\(sequence)",
    ]
}

/// What a hub may send to one of our replicators.
let activeShapes: [Shape] = [
    Shape("getCollections' answer", "a checkpoint of a sparse set", from: 2_000, to: 1 << 20) {
        count in
        let pairs = (1...count).reversed().map { "\(3 * $0),1" }.joined(separator: ",")
        return {
            _ = try ScriptedPeer.server(
                pushes: true,
                checkpoints: #"[{"rev":"1-cc","localCompleted":[\#(pairs)]}]"#
            )
        }
    },
    Shape("changes", "documents that are wanted", from: 200, to: 10_000) { count in
        var server = try ScriptedPeer.server(pushes: false)
        let body = changes(0..<count)
        return { server.ask(changesHead, body) }
    },
    Shape("changes", "known documents while others are in flight", from: 200, to: 8_000) {
        count in
        var server = try ScriptedPeer.server(pushes: false)
        server.ask(changesHead, changes(0..<count))
        for number in 0..<count {
            server.send(revision("d\(number)", number + 1), Array("{}".utf8))
        }
        server.exchange()
        server.ask(changesHead, changes(count..<(count + 1_900), "other"))
        let body = changes(0..<count)
        return { server.ask(changesHead, body) }
    },
    Shape("changes", "documents of which access is lost", from: 200, to: 10_000) { count in
        var server = try ScriptedPeer.server(pushes: false)
        let items = (0..<count).map { #"[\#($0 + 1),"d\#($0)","1-aa",2]"# }
        let body = "[" + items.joined(separator: ",") + "]"
        return { server.ask(changesHead, body) }
    },
    Shape("rev", "pulled, in the reverse order", from: 200, to: 8_000) { count in
        var server = try ScriptedPeer.server(pushes: false)
        server.ask(changesHead, changes(0..<count))
        return {
            for number in (0..<count).reversed() {
                server.send(revision("d\(number)", number + 1), Array("{}".utf8))
            }
            server.exchange()
        }
    },
    Shape("norev", "for everything that was asked for", from: 200, to: 8_000) { count in
        var server = try ScriptedPeer.server(pushes: false)
        server.ask(changesHead, changes(0..<count))
        return {
            for number in 0..<count {
                server.send(["Profile": "norev", "collection": "0", "sequence": "\(number + 1)"])
            }
            server.exchange()
        }
    },
    // With 40 of them its tree has the maximum number of revisions, and costs the same with each.
    Shape("rev", "pulled conflicts of one document", from: 100, to: 1_600) { count in
        var server = try ScriptedPeer.server(pushes: false)
        let items = (0..<count).map { #"[\#($0 + 1),"d","9-\#(digits($0))0"]"# }
        server.ask(changesHead, "[" + items.joined(separator: ",") + "]")
        return {
            for number in 0..<count {
                let history = (1..<9).reversed().map { "\($0)-\(digits(number))0" }
                var properties: BLIPProperties = [
                    "Profile": "rev", "collection": "0", "id": "d", "rev": "9-\(digits(number))0",
                    "sequence": "\(number + 1)",
                ]
                properties.append("history", history.joined(separator: ","))
                server.ask(properties, "{}")
            }
        }
    },
    Shape("answers to proposals", "taken, and each other document refused", from: 200, to: 16_000) {
        count in
        let store = Store.inMemory()
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
        return {
            var server = try ScriptedPeer.server(of: store, pushes: true)
            var number = 0
            server.answerAll { request in
                guard request.profile == "rev" else { return .empty }
                number += 1
                return number % 2 == 0 ? .empty : .error(domain: "HTTP", code: 400)
            }
        }
    },
]
