import DivanJSON
import Foundation

/// The documents of a figure: one kind of the travel set, or text like the reference's.
enum DocumentShape: String, Codable {
    /// 199 bytes.
    case airlines
    /// 1.2 KB; the kind of every figure that names no other.
    case routes
    /// 5.6 KB.
    case hotels
    /// Exactly 1,024 bytes: eight keys and random words, as in the reference engine's measurement.
    case words

    /// Some hundred bodies as canonical JSON, to be used in turn.
    func bodies() throws -> [[UInt8]] {
        guard self != .words else { return WordsDocument.bodies(count: 500) }
        let path = "Tests/Fixtures/travel/\(rawValue).jsonl"
        guard let text = FileManager.default.contents(atPath: path) else {
            throw BenchFailure("\(path) is missing; run the bench from the checkout's root")
        }
        return try text.split(separator: UInt8(ascii: "\n")).map { line in
            // `_id` is reserved at the top level; the ID is outside the body.
            let body = String(decoding: line, as: UTF8.self)
                .replacingOccurrences(of: "\"_id\"", with: "\"id\"")
                // Some documents refer to blobs, which are not here either.
                .replacingOccurrences(of: "\"@type\"", with: "\"type\"")
                .replacingOccurrences(of: "\"digest\"", with: "\"sum\"")
            return try JSON(parsing: Array(body.utf8).span).canonicalBytes()
        }
    }

    /// The ID of a document, in ascending order.
    static func documentID(_ index: Int) -> String {
        let digits = String(index)
        return "doc-" + String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    }
}

/// A document of words and hexadecimal numbers that deflate reduces to about 1/3.2.
///
/// Source: the description of the reference engine's measurement (`Docs/performance.md`).
enum WordsDocument {
    private static let words = [
        "amber", "basin", "cedar", "delta", "ember", "fjord", "grove", "harbor", "island",
        "jasper", "kettle", "lagoon", "meadow", "nectar", "orchard", "pebble", "quarry", "ridge",
        "summit", "timber", "upland", "valley", "willow", "yarrow", "zephyr",
    ]

    static func bodies(count: Int) -> [[UInt8]] {
        var generator = Xorshift()
        return (0..<count).map { body($0, &generator) }
    }

    private static func body(_ index: Int, _ generator: inout Xorshift) -> [UInt8] {
        let head =
            #"{"active":true,"n":\#(index),"name":"\#(words[Int(generator.next() % 25)])","rev":1,"#
            + #""score":0.5,"tags":["red","blue"],"text":""#
        let tail = #"","type":"words"}"#
        var text = ""
        while head.utf8.count + text.utf8.count + tail.utf8.count < 1_024 {
            let number = generator.next()
            text += number % 3 == 0 ? String(number >> 40, radix: 16) : words[Int(number % 25)]
            text += " "
        }
        let excess = head.utf8.count + text.utf8.count + tail.utf8.count - 1_024
        return Array((head + text.dropLast(excess) + tail).utf8)
    }
}
