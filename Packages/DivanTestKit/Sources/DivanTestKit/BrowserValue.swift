import Foundation

/// A value of JavaScript, as far as JSON has it.
public struct BrowserValue {
    private let json: Any

    init(_ json: Any) {
        self.json = json
    }

    /// The member of an object; `nil` where it is none, or lacks the member.
    public subscript(_ name: String) -> BrowserValue? {
        (json as? [String: Any])?[name].map { BrowserValue($0) }
    }

    /// The text; `nil` where it is none.
    public var string: String? { json as? String }

    /// The number; `nil` where it is none, or not whole.
    public var int: Int? { json as? Int }

    /// The number; `nil` where it is none.
    public var double: Double? { json as? Double }

    /// The value as JSON on one line, members in the order of their names.
    public var text: String {
        let options: JSONSerialization.WritingOptions = [
            .fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes,
        ]
        let data = try? JSONSerialization.data(withJSONObject: json, options: options)
        return data.map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}
