/// The part of a resource that a `GET` requests (RFC 9110 §14).
///
/// One range of bytes is supported. Multiple ranges, other units and malformed ranges are answered with the whole
/// resource, as the standard allows.
public enum HTTPRange: Equatable, Sendable {
    /// The whole resource: status 200.
    case whole
    /// A range of bytes: status 206 with `contentRange`.
    case part(Range<Int>)
    /// A range outside the resource: status 416 with `contentRange`.
    case unsatisfiable

    /// Parses the range of a request.
    ///
    /// - Parameters:
    ///   - request: Its fields `Range` and `If-Range` are used.
    ///   - byteCount: The length of the whole resource.
    ///   - tag: The strong entity tag, in quotes; a client whose tag differs gets the whole resource.
    public init(of request: HTTPRequest, byteCount: Int, tag: String) {
        self = .whole
        guard request.method == "GET", let text = request.headers["Range"] else { return }
        if let condition = request.headers["If-Range"], !condition.utf8.elementsEqual(tag.utf8) {
            return
        }
        guard let (first, last) = Self.ends(of: text) else { return }
        switch (first, last) {
        case (let first?, let last):
            let end = last.map { min($0, byteCount - 1) } ?? byteCount - 1
            self = first < byteCount ? .part(first..<end + 1) : .unsatisfiable
        case (nil, let count?):
            let start = byteCount - min(count, byteCount)
            self = start < byteCount ? .part(start..<byteCount) : .unsatisfiable
        case (nil, nil): return
        }
    }

    /// The texts on both sides of the dash; `nil` if there is more than one range, or none.
    private static func ends(of text: String) -> (first: Int?, last: Int?)? {
        let halves = text.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1)
        guard halves.count == 2, String(halves[0])?.lowercased() == "bytes" else { return nil }
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        let range = halves[1].drop(while: isBlank).reversed().drop(while: isBlank).reversed()
        let ends = range.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        let (first, last) = (number(Array(ends[0])), number(Array(ends[1])))
        guard first != nil || ends[0].isEmpty, last != nil || ends[1].isEmpty else { return nil }
        if let first, let last, last < first { return nil }
        return first == nil && last == nil ? nil : (first, last)
    }

    /// Digits only; a number that is too large is beyond any resource.
    private static func number(_ digits: [UInt8]) -> Int? {
        guard !digits.isEmpty else { return nil }
        var value = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let (shifted, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflows) = shifted.addingReportingOverflow(Int(digit & 15))
            value = isTooLarge || overflows ? Int.max : sum
        }
        return value
    }

    /// The value of the response's `Content-Range` field; `nil` for the whole resource.
    public func contentRange(byteCount: Int) -> String? {
        switch self {
        case .whole: nil
        case .part(let range): "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(byteCount)"
        case .unsatisfiable: "bytes */\(byteCount)"
        }
    }
}
