import DivanBLIP
import DivanReplicator

/// A revision of the document `d` with this body.
private func receiving(
    _ body: @escaping @Sendable (Int) -> String
) -> @Sendable (Int) throws -> () throws -> Void {
    { count in
        var client = ScriptedPeer.client()
        let text = body(count)
        return {
            client.ask(["Profile": "rev", "collection": "0", "id": "d", "rev": "1-aa"], text)
        }
    }
}

private let digest = "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA="

private func blob(_ digest: String) -> String { #"{"@type":"blob","digest":"\#(digest)"}"# }

/// Received documents, each the worst case for one kind of scan.
let bodyShapes: [Shape] = [
    Shape(
        "rev",
        "items of an array under a long key, with metadata",
        from: 4_000,
        receiving { count in
            let items = Array(repeating: "0", count: count).joined(separator: ",")
            return #"{"_x":1,"\#(String(repeating: "k", count: count))":[\#(items)]}"#
        }
    ),
    Shape(
        "rev",
        "the same with a blob in it",
        from: 4_000,
        receiving { count in
            let items = Array(repeating: "0", count: count).joined(separator: ",")
            return #"{"a":\#(blob("none")),"\#(String(repeating: "k", count: count))":[\#(items)]}"#
        }
    ),
    Shape(
        "rev",
        "blobs under a long key",
        from: 200,
        to: 10_000,
        receiving { count in
            let items = Array(repeating: blob("x"), count: count).joined(separator: ",")
            return #"{"\#(String(repeating: "k", count: 40 * count))":[\#(items)]}"#
        }
    ),
    Shape(
        "rev",
        "an entry of _attachments for each blob",
        from: 500,
        receiving { count in
            let items = Array(repeating: blob("x"), count: count).joined(separator: ",")
            let entries = (0..<count).map { #""blob_/l/\#($0)":{"digest":"y"}"# }
            return #"{"_attachments":{\#(entries.joined(separator: ","))},"l":[\#(items)]}"#
        }
    ),
    Shape(
        "rev",
        "entries of _attachments for one blob",
        from: 500,
        receiving { count in
            let items = Array(repeating: "0", count: count).joined(separator: ",")
            let entries = (0..<count).map {
                #""blob_/b\#(String(repeating: "/", count: $0 % 9))":{}"#
            }
            return
                #"{"_attachments":{\#(entries.joined(separator: ","))},"b":\#(blob("x")),"l":[\#(items)]}"#
        }
    ),
    Shape(
        "rev",
        "keys in descending order, with metadata",
        from: 1_000,
        receiving { count in
            let members = (0..<count).map { "\"\(digits(count - $0))\":0" }.joined(separator: ",")
            return #"{"_x":1,\#(members)}"#
        }
    ),
    Shape("rev", "blobs that wait for their contents", from: 200, to: 8_000) { count in
        var client = ScriptedPeer.client()
        let items = (0..<count).map { #"{"@type":"blob","digest":"\#(name($0))"}"# }
        let body = #"{"l":[\#(items.joined(separator: ","))]}"#
        return {
            client.ask(["Profile": "rev", "collection": "0", "id": "d", "rev": "1-aa"], body)
            client.answerAll { _ in .error(domain: "HTTP", code: 404) }
        }
    },
    Shape("rev", "documents that wait for one content", from: 100, to: 3_900) { count in
        var client = ScriptedPeer.client()
        return {
            for number in 0..<count {
                client.send(
                    ["Profile": "rev", "collection": "0", "id": "d\(number)", "rev": "1-aa"],
                    Array(#"{"b":\#(blob(digest))}"#.utf8)
                )
            }
            client.exchange()
            client.answerAll { _ in .error(domain: "HTTP", code: 404) }
        }
    },
    Shape("rev", "small documents", from: 200, to: 8_000) { count in
        var client = ScriptedPeer.client()
        return {
            for number in 0..<count {
                client.send(
                    ["Profile": "rev", "collection": "0", "id": "d\(number)", "rev": "1-aa"],
                    Array("{}".utf8)
                )
            }
            client.exchange()
        }
    },
    Shape("rev", "differences of a large document", from: 50, to: 4_000) { count in
        var client = ScriptedPeer.client()
        let members = (0..<1_000).map { "\"\(digits($0))\":0" }.joined(separator: ",")
        client.ask(["Profile": "rev", "collection": "0", "id": "d", "rev": "1-aa"], "{\(members)}")
        return {
            for number in 0..<count {
                client.send(
                    [
                        "Profile": "rev", "collection": "0", "id": "d",
                        "rev": "2-\(digits(number))0",
                        "history": "1-aa", "deltaSrc": "1-aa",
                    ],
                    Array("{\"x\":1}".utf8)
                )
            }
            client.exchange()
        }
    },
]

/// The digest of nothing that exists: 27 characters of base64 after the prefix, and the padding.
private func name(_ number: Int) -> String {
    "sha1-" + String(repeating: "A", count: 17) + digits(number) + "A="
}
