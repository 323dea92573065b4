import DivanBLIP
import DivanCrypto
import DivanTestKit
import Foundation

/// Authenticated clients that make the listener work, hold and store as much as they can.
///
/// Each is reported with its effects on a good client, the memory and the descriptors.
struct WorkAttacks {
    let attacked: AttackedProcess
    let report: Report
    /// A small version for machines that have other work, too.
    let isQuick: Bool

    private let first = "1-" + String(repeating: "a", count: 40)
    private var patience: Double { isQuick ? 5_000 : 250 }

    private func size(_ full: Int, quick: Int) -> Int { isQuick ? quick : full }

    func run() {
        report.heading("Work, memory, descriptors")
        watched("nothing at all", "calm") {
            Thread.sleep(forTimeInterval: 0.5)
            return "calm"
        }
        runBodies()
        runLargeDocuments()
        runTrees()
        runBlobs()
        runHolding()
        runCheckpoints()
    }

    /// Performs an attack and reports how it affected other clients.
    private func watched(_ name: String, _ expected: String..., by body: () throws -> String) {
        do {
            let watch = try Watch(attacked)
            var outcome: String
            do { outcome = try body() } catch { outcome = "\(error)" }
            let figures = watch.end()
            let isGood = expected.contains(outcome) && figures.isGood(within: patience)
            report.claim(name, "\(outcome); \(figures.text)", isGood)
        } catch {
            report.claim(name, "\(error)", false)
        }
    }

    private func visitor(_ number: Int = 0, as user: String = "ada") throws -> AttackClient {
        let visitor = try AttackClient(attacked.passwords, as: user, from: "127.0.12.\(1 + number)")
        guard visitor.open().hasPrefix("[{") else { throw AttackFailure("no collection") }
        return visitor
    }

    private func rev(
        _ id: String,
        _ revision: String,
        _ further: BLIPProperties = [:]
    )
        -> BLIPProperties
    {
        var properties: BLIPProperties = [
            "Profile": "rev", "collection": "0", "id": id, "rev": revision,
        ]
        properties.append(contentsOf: further)
        return properties
    }

    // MARK: Work

    private func runBodies() {
        let count = size(1_500_000, quick: 60_000)
        let items = Array(repeating: "0", count: count).joined(separator: ",")
        let key = String(repeating: "k", count: count)
        watched("\(count) items under a key as long, with metadata", "ok") {
            try visitor().outcome(rev("long-key", first), #"{"_x":1,"\#(key)":[\#(items)]}"#)
        }
        watched("the same with a blob that is none", "ok") {
            let blob = #"{"@type":"blob","digest":"none"}"#
            return try visitor().outcome(
                rev("long-key-2", first),
                #"{"a":\#(blob),"\#(key)":[\#(items)]}"#
            )
        }
        let entryCount = size(32_000, quick: 2_000)
        watched("\(entryCount) entries of _attachments for as many blobs", "ok") {
            let blobs = Array(repeating: #"{"@type":"blob","digest":"x"}"#, count: entryCount)
            let entries = (0..<entryCount).map { #""blob_/l/\#($0)":{"digest":"y"}"# }
            let list = blobs.joined(separator: ",")
            let body = #"{"_attachments":{\#(entries.joined(separator: ","))},"l":[\#(list)]}"#
            return try visitor().outcome(rev("attachments", first), body)
        }
    }

    /// Larger than may be synced, but smaller than a message that ends the connection.
    private func runLargeDocuments() {
        for megabytes in isQuick ? [21] : [20, 24, 28, 31] {
            watched("a document of \(megabytes) MiB, and one behind it", "HTTP/413, then ok") {
                let visitor = try visitor()
                let text = String(repeating: "x", count: megabytes << 20)
                let large = visitor.outcome(rev("large", first), #"{"t":"\#(text)"}"#)
                return "\(large), then \(visitor.outcome(rev("behind-\(megabytes)", first), "{}"))"
            }
        }
        watched("a message of 33 MiB", "closed 1009") {
            let text = String(repeating: "x", count: 33 << 20)
            return try visitor().outcome(rev("larger", first), #"{"t":"\#(text)"}"#)
        }
    }

    private func runTrees() {
        let count = size(4_000, quick: 200)
        watched("\(count) times deleted_branch on one document", "ok") {
            let visitor = try visitor()
            _ = visitor.outcome(rev("branches", "1-" + digits(0)), "{}")
            let requests = (1...count).map { number in
                let old = digits(number - 1)
                let closing: BLIPProperties = ["deleted_branch": "2-\(old),1-\(old)"]
                return (rev("branches", "1-" + digits(number), closing), "{}")
            }
            visitor.post(requests)
            return visitor.outcome(rev("branches-end", first), "{}")
        }
        let roots = size(3_000, quick: 200)
        watched("\(roots) times deleted and brought back as a new root", "ok") {
            let visitor = try visitor()
            let requests = (0..<roots).flatMap { number -> [(BLIPProperties, String)] in
                let digits = digits(number)
                let deletion: BLIPProperties = ["history": "1-\(digits)", "deleted": "1"]
                return [
                    (rev("roots", "1-\(digits)", ["noconflicts": "true"]), "{}"),
                    (rev("roots", "2-\(digits)", deletion), "{}"),
                ]
            }
            visitor.post(requests)
            return visitor.outcome(rev("roots-end", first), "{}")
        }
    }

    private func digits(_ number: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: 40 - text.count) + text
    }

    // MARK: Blobs

    private var film: BLIPProperties {
        let content = AttackedListener.film
        let digest = Base64.encode(SHA1.digest(of: content.span).span)
        return ["collection": "0", "digest": "sha1-" + digest]
    }

    private func runBlobs() {
        let proofCount = size(40, quick: 5)
        watched("\(proofCount) proofs of a blob of 4 MB", "\(proofCount) proofs") {
            let visitor = try visitor()
            visitor.post(
                (0..<proofCount).map { number in
                    var question: BLIPProperties = ["Profile": "proveAttachment"]
                    question.append(contentsOf: film)
                    return (question, "nonce \(number)")
                }
            )
            return "\(visitor.waitForReplies(proofCount)) proofs"
        }
        let count = size(1_500, quick: 300)
        watched("\(count) blobs that are asked for and never read", "held") {
            let visitor = try visitor()
            var question: BLIPProperties = ["Profile": "getAttachment"]
            question.append(contentsOf: film)
            visitor.post(Array(repeating: (question, ""), count: count))
            Thread.sleep(forTimeInterval: isQuick ? 0.3 : 3)
            return withExtendedLifetime(visitor) { "held" }
        }
        for isHere in [true, false] {
            let what = isHere ? "of a hidden collection" : "that does not exist"
            watched("a document that references a blob \(what)", "asked for it, then HTTP/404") {
                let content = isHere ? Secrets.body : "this does not exist"
                let digest = Base64.encode(SHA1.digest(of: Array(content.utf8).span).span)
                let blob = #"{"@type":"blob","digest":"sha1-\#(digest)","length":9}"#
                let properties = rev("thief-\(isHere)", first)
                return try visitor(as: "eve").thieve(properties, #"{"b":\#(blob)}"#)
            }
        }
    }

    // MARK: Memory

    private func runHolding() {
        let (clients, megabytes) = (size(8, quick: 2), size(30, quick: 2))
        watched(
            "\(clients) clients with \(megabytes) MB of a message that never ends",
            "held or closed"
        ) {
            let frames = Self.endless(byteCount: megabytes << 20)
            var visitors: [AttackClient] = []
            for number in 0..<clients {
                // Its first request is the endless one.
                let source = "127.0.12.\(1 + number)"
                let visitor = try AttackClient(attacked.passwords, from: source)
                for frame in frames { visitor.sendMessage(frame) }
                visitors.append(visitor)
            }
            Thread.sleep(forTimeInterval: isQuick ? 0.2 : 2)
            return withExtendedLifetime(visitors) { "held or closed" }
        }
        let count = size(60, quick: 5)
        watched("3 clients with \(count) documents of 1 MB that wait for a blob", "held or closed")
        {
            var visitors: [AttackClient] = []
            let blob = #"{"@type":"blob","digest":"sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=","length":9}"#
            let text = String(repeating: "x", count: 1 << 20)
            for number in 0..<3 {
                let visitor = try visitor(number)
                visitor.postAtOnce(
                    (0..<count).map {
                        (rev("parked-\($0)", first), #"{"b":\#(blob),"t":"\#(text)"}"#)
                    }
                )
                visitors.append(visitor)
            }
            Thread.sleep(forTimeInterval: isQuick ? 0.2 : 2)
            return withExtendedLifetime(visitors) { "held or closed" }
        }
    }

    /// Frames of one request, each of which announces more.
    private static func endless(byteCount: Int) -> [[UInt8]] {
        let head: [UInt8] = Array("Profile\0rev\0".utf8)
        let payload = [UInt8](repeating: 120, count: 64 << 10)
        var checksum: UInt32 = .max
        var frames: [[UInt8]] = []
        for start in stride(from: 0, to: byteCount, by: payload.count) {
            let plain = start == 0 ? [UInt8(head.count)] + head + payload : payload
            for byte in plain {
                checksum =
                    crcTable[Int(UInt8(truncatingIfNeeded: checksum) ^ byte)] ^ (checksum >> 8)
            }
            let sum = ~checksum
            let tail = (0..<4).reversed().map { UInt8(truncatingIfNeeded: sum >> (8 * UInt32($0))) }
            frames.append([1, 0x40] + plain + tail)
        }
        return frames
    }

    private static let crcTable: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in
            value & 1 == 0 ? value >> 1 : 0xEDB8_8320 ^ (value >> 1)
        }
    }

    // MARK: Disk

    private func runCheckpoints() {
        let count = size(3_000, quick: 200)
        watched("\(count) checkpoints of 100 KB by a client that may only read", "bounded") {
            _ = try attacked.ask("compact")
            let before = try attacked.number("size")
            let visitor = try AttackClient(attacked.readOnly, from: "127.0.12.9")
            _ = visitor.open()
            let body = "{\"a\":\"" + String(repeating: "x", count: 100_000) + "\"}"
            for start in stride(from: 0, to: count, by: 100) {
                visitor.post(
                    (start..<min(start + 100, count)).map { number in
                        (
                            [
                                "Profile": "setCheckpoint", "collection": "0",
                                "client": "cp-\(number)",
                            ],
                            body
                        )
                    }
                )
                _ = visitor.outcome(["Profile": "getCheckpoint", "collection": "0", "client": "x"])
            }
            // The log of changes keeps 64 MiB that are reused, and may hold one more transaction.
            let log = try attacked.number("log")
            _ = try attacked.ask("compact")
            let growth = try attacked.number("size") - before
            return growth < 24 << 20 && log < 72 << 20
                ? "bounded" : "\(growth >> 20) MB more in the file, \(log >> 20) MB of log"
        }
        report.attack("the same with 1 MiB", "HTTP/413") {
            let visitor = try AttackClient(attacked.readOnly, from: "127.0.12.9")
            _ = visitor.open()
            let body = "{\"a\":\"" + String(repeating: "x", count: 1 << 20) + "\"}"
            return visitor.outcome(
                ["Profile": "setCheckpoint", "collection": "0", "client": "cp-x"],
                body
            )
        }
        report.attack("modes of the database's files, made under umask 0", "the owner's alone") {
            try attacked.ask("modes")
        }
    }
}
