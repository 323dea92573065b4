import DivanBLIP
import DivanCrypto
import Foundation

/// Authenticated clients that send documents that they should not.
struct DocumentAttacks {
    let attacked: AttackedProcess
    let report: Report

    private let first = "1-" + String(repeating: "a", count: 40)
    private let second = "2-" + String(repeating: "b", count: 40)

    func run() {
        report.heading("Documents")
        runRevisions()
        runBodies()
        runMessages()
        report.heading("Rights")
        runReadOnly()
        runRights()
    }

    private func visitor() throws -> AttackClient {
        let visitor = try AttackClient(attacked.passwords, from: Sources.next())
        guard visitor.open().hasPrefix("[{") else { throw AttackFailure("no collection") }
        return visitor
    }

    private func rev(
        _ id: String,
        _ revision: String,
        history: String = "",
        further: [(String, String)] = []
    ) -> BLIPProperties {
        var properties: BLIPProperties = [
            "Profile": "rev", "collection": "0", "id": id, "rev": revision, "noconflicts": "true",
        ]
        if !history.isEmpty { properties.append("history", history) }
        for (name, value) in further { properties.append(name, value) }
        return properties
    }

    private func runRevisions() {
        report.attack("overwriting a document without its revision", "HTTP/409") {
            try visitor().outcome(rev("open-1", first), #"{"text":"mine"}"#)
        }
        report.attack("a conflict with an invented history", "HTTP/409") {
            try visitor().outcome(rev("open-1", second, history: first), #"{"text":"mine"}"#)
        }
        report.attack("the same with noconflicts left out", "HTTP/409") {
            let properties: BLIPProperties = [
                "Profile": "rev", "collection": "0", "id": "open-1", "rev": first,
            ]
            return try visitor().outcome(properties, #"{"text":"mine"}"#)
        }
        report.attack("deleting it the same way", "HTTP/409") {
            try visitor().outcome(rev("open-1", first, further: [("deleted", "1")]), "{}")
        }
        report.claim(
            "the document after all that",
            "is as it was",
            ((try? attacked.ask("document open-1")) ?? "").contains("\"count\":1")
        )
        report.attack("a document ID of 256 bytes", "HTTP/400") {
            try visitor().outcome(rev(String(repeating: "x", count: 256), first), "{}")
        }
        // Other implementations create them, so they are kept.
        for id in [String(repeating: "x", count: 241), "a\u{1}b"] {
            report.attack("the document ID \(id.prefix(20).debugDescription)", "ok") {
                try visitor().outcome(rev(id, first), "{}")
            }
        }
        for id in ["", "_design/x"] {
            report.attack("the document ID \(id.debugDescription)", "HTTP/400") {
                try visitor().outcome(rev(id, first), "{}")
            }
        }
        for revision in ["", "1", "0-a", "-1-a", "1-", "99999999999999999999-a", "1-../x y"] {
            report.attack("the revision ID \(revision.debugDescription)", "HTTP/400") {
                try visitor().outcome(rev("bad", revision), "{}")
            }
        }
        report.attack("a history of 5,000 revisions", "closed 1002", "HTTP/400") {
            let history = (1..<5_000).reversed().map { "\($0)-\(first.dropFirst(2))" }
            let long = rev("long", "5000-c", history: history.joined(separator: ","))
            return try visitor().outcome(long, "{}")
        }
    }

    private func runBodies() {
        report.attack("hiding in keys with an underscore", "ok") {
            let body = #"{"_hidden":1,"_sync":{"a":1},"seen":1}"#
            return try visitor().outcome(rev("hides", first), body)
        }
        report.attack("what is kept of it", #"{"seen":1}"#) { try attacked.ask("document hides") }
        for key in ["_id", "_rev", "_deleted"] {
            report.attack("\(key) in the body", "HTTP/400") {
                try visitor().outcome(rev("hides", second), "{\"\(key)\":1}")
            }
        }
        report.attack("a body of 21 MB", "HTTP/413") {
            let text = "{\"a\":\"" + String(repeating: "x", count: 21 << 20) + "\"}"
            return try visitor().outcome(rev("huge", first), text)
        }
    }

    private func runMessages() {
        for body in ["", "[]", "null", "{", "{\"a\":1}x", "{\"a\":\u{1}}", "1"] {
            report.attack("a body that is \(body.debugDescription)", "HTTP/400") {
                try visitor().outcome(rev("bad", first), body)
            }
        }
        report.attack("a body nested 100,000 deep", "HTTP/400") {
            let deep = "{\"a\":" + String(repeating: "[", count: 100_000)
            return try visitor().outcome(rev("deep", first), deep)
        }
        report.attack("a body of 40 MB", "HTTP/413", "closed 1009", "BLIP/413", "closed 1011") {
            let visitor = try visitor()
            let text = "{\"a\":\"" + String(repeating: "x", count: 40 << 20) + "\"}"
            return visitor.outcome(rev("huge", first), text)
        }
        report.attack("a delta without deltas in use", "HTTP/422") {
            let properties = rev("open-1", second, further: [("deltaSrc", first)])
            return try visitor().outcome(properties, #"{"a":1}"#)
        }
        report.attack("10,001 proposals in one list", "HTTP/400") {
            let list = "[" + Array(repeating: "[]", count: 10_001).joined(separator: ",") + "]"
            return try visitor().outcome(
                ["Profile": "proposeChanges", "collection": "0"],
                list
            )
        }
        report.attack("a checkpoint of 2 MiB", "HTTP/413", "BLIP/413") {
            let body = "{\"a\":\"" + String(repeating: "x", count: 2 << 20) + "\"}"
            return try visitor().outcome(
                ["Profile": "setCheckpoint", "collection": "0", "client": "cp-x"],
                body
            )
        }
        report.attack("an unknown request", "BLIP/404") {
            try visitor().outcome(["Profile": "dropDatabase"])
        }
        report.attack("noise instead of a frame", "closed 1002", "closed 1011", "closed 1009") {
            let visitor = try visitor()
            visitor.sendMessage([0x07, 0x00, 0xFF, 0xFF, 0x01])
            return visitor.waitForEnd()
        }
        report.attack("a WebSocket frame without a mask", "closed 1002", "ended") {
            let visitor = try visitor()
            visitor.sendBytes([0x82, 0x01, 0x00])
            return visitor.waitForEnd()
        }
    }

    private func runReadOnly() {
        let propose: BLIPProperties = ["Profile": "proposeChanges", "collection": "0"]
        report.attack("proposing to a read-only listener", "HTTP/403") {
            let visitor = try AttackClient(attacked.readOnly, from: Sources.next())
            _ = visitor.open()
            return visitor.outcome(propose, "[[\"x\",\"\(first)\"]]")
        }
        report.attack("pushing to it without proposing", "HTTP/403") {
            let visitor = try AttackClient(attacked.readOnly, from: Sources.next())
            _ = visitor.open()
            return visitor.outcome(rev("x", first), "{}")
        }
        report.attack("what is kept of it", "none") { try attacked.ask("document x") }
    }

    /// A visitor with few rights.
    private func eve() throws -> AttackClient {
        let visitor = try AttackClient(attacked.passwords, as: "eve", from: Sources.next())
        _ = visitor.open()
        return visitor
    }

    private func runRights() {
        let blob = "sha1-" + Base64.encode(SHA1.digest(of: Array(Secrets.body.utf8).span).span)
        report.attack("a collection that this user may not use", "[null]") {
            let visitor = try AttackClient(attacked.passwords, as: "eve", from: Sources.next())
            return visitor.open(["hidden"])
        }
        report.attack("a blob of it by its digest", "HTTP/404") {
            try eve().outcome(["Profile": "getAttachment", "collection": "0", "digest": blob])
        }
        report.attack("a proof that the blob is there", "HTTP/404") {
            try eve().outcome(
                ["Profile": "proveAttachment", "collection": "0", "digest": blob],
                "nonce"
            )
        }
        report.attack("documents that this user may not read", "none told") {
            let visitor = try eve()
            let answer = visitor.outcome(["Profile": "subChanges", "collection": "0"])
            guard answer == "ok" else { return answer }
            let isToldOf = { visitor.requests.contains { $0.profile == "changes" } }
            for _ in 0..<20 where !isToldOf() {
                _ = visitor.ask(["Profile": "getCheckpoint", "collection": "0", "client": "a"], "")
            }
            let lists = visitor.requests.filter { $0.profile == "changes" }.map(\.body)
            let text = lists.map { String(decoding: $0, as: UTF8.self) }.joined()
            // What she may read arrives; without it, the test would prove nothing.
            guard text.contains("\"film\"") else { return "nothing told: \(text)" }
            return text.contains("open-") ? text : "none told"
        }
        report.attack("whether such a document exists", "[403]") {
            let visitor = try eve()
            let reply = visitor.ask(
                ["Profile": "proposeChanges", "collection": "0", "conflictIncludesRev": "true"],
                "[[\"open-1\",\"\(first)\"]]"
            )
            return reply.map { String(decoding: $0.body, as: UTF8.self) } ?? "ended"
        }
        report.attack("overwriting another user's checkpoint without its revision", "HTTP/409") {
            let checkpoint: BLIPProperties = [
                "Profile": "setCheckpoint", "collection": "0", "client": "mine",
            ]
            let kept = try visitor().outcome(checkpoint, #"{"local":1}"#)
            guard kept == "ok" else { return "Ada's is not kept: \(kept)" }
            return try eve().outcome(checkpoint, #"{"local":2}"#)
        }
    }
}
