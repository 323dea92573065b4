import DivanBLIP
import DivanReplicator

extension ScriptedPeer {
    /// Deletes a document and recreates it with a new root.
    mutating func recreate(_ documentID: String, _ number: Int) {
        let root = "1-\(digits(number))0"
        let head: BLIPProperties = ["Profile": "rev", "collection": "0", "id": documentID]
        var live = head
        live.append("rev", root)
        live.append("noconflicts", "true")
        ask(live, "{}")
        var deletion = head
        deletion.append("rev", "2-\(digits(number))0")
        deletion.append("history", root)
        deletion.append("deleted", "1")
        ask(deletion, "{}")
    }

    /// Continues the previous revision.
    mutating func edit(_ documentID: String, _ number: Int) {
        var properties: BLIPProperties = ["Profile": "rev", "collection": "0", "id": documentID]
        properties.append("rev", "\(number)-aa")
        if number > 1 { properties.append("history", "\(number - 1)-aa") }
        ask(properties, "{}")
    }

    /// Replaces the previous revision, with the tombstone that closes it.
    mutating func replace(_ documentID: String, _ number: Int) {
        let (old, new) = ("1-\(digits(number - 1))0", "1-\(digits(number))0")
        ask(
            [
                "Profile": "rev", "collection": "0", "id": documentID, "rev": new,
                "deleted_branch": "2-\(digits(number - 1))0,\(old)",
            ],
            "{}"
        )
    }
}

/// Changes after which a tree has the maximum number of branches: further ones cost the same.
private let grownCount = 80

/// One document whose tree a peer would like to grow.
let treeShapes: [Shape] = [
    Shape("rev", "deleted and brought back as a new root", from: 20, to: 8_000) { count in
        var client = ScriptedPeer.client()
        for number in 0..<grownCount { client.recreate("d", number) }
        return {
            for number in grownCount..<(grownCount + count) { client.recreate("d", number) }
        }
    },
    Shape("rev", "deleted_branch for each revision", from: 20, to: 8_000) { count in
        var client = ScriptedPeer.client()
        client.ask(
            ["Profile": "rev", "collection": "0", "id": "d", "rev": "1-\(digits(0))0"],
            "{}"
        )
        for number in 1...grownCount { client.replace("d", number) }
        return {
            for number in (grownCount + 1)...(grownCount + count) { client.replace("d", number) }
        }
    },
    Shape("rev", "long histories that share nothing", from: 25, to: 1_600) { count in
        var client = ScriptedPeer.client()
        return {
            for number in 0..<count {
                let history = (1..<100).reversed().map { "\($0)-\(digits(number))0" }
                client.ask(
                    [
                        "Profile": "rev", "collection": "0", "id": "d\(number % 3)",
                        "rev": "100-\(digits(number))0", "history": history.joined(separator: ","),
                    ],
                    "{}"
                )
            }
        }
    },
    Shape("rev", "one document, edited repeatedly", from: 100, to: 8_000) { count in
        var client = ScriptedPeer.client()
        for number in 1...grownCount { client.edit("d", number) }
        return {
            for number in (grownCount + 1)...(grownCount + count) { client.edit("d", number) }
        }
    },
]
