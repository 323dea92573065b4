import Foundation

/// A JavaScript value, as far as JSON can represent it.
public struct BrowserValue {
    private let json: Any

    init(_ json: Any) {
        self.json = json
    }

    /// The member of an object; `nil` if it is not an object, or lacks the member.
    public subscript(_ name: String) -> BrowserValue? {
        (json as? [String: Any])?[name].map { BrowserValue($0) }
    }

    /// The string; `nil` if it is not a string.
    public var string: String? { json as? String }

    /// The integer; `nil` if it is not an integer.
    public var int: Int? { json as? Int }

    /// The number; `nil` if it is not a number.
    public var double: Double? { json as? Double }

    /// The value as JSON on one line, with members sorted by name.
    public var text: String {
        let options: JSONSerialization.WritingOptions = [
            .fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes,
        ]
        let data = try? JSONSerialization.data(withJSONObject: json, options: options)
        return data.map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}
