import CouchbaseLiteSwift
import DivanCommandLine

/// Which blobs a pull fetches.
enum BlobChoice {
    static let option = CommandSyntax.Option.value(
        "--blobs",
        "HOW",
        "pull all blobs (eager), none (lazy), or those up to a size such as 2MB (default: eager)"
    ).grouped(.filters)

    /// Reads the option; `nil` if it is missing.
    static func read(_ arguments: Arguments) throws(Failure) -> BlobReplication? {
        guard let text = arguments.value("--blobs") else { return nil }
        switch text {
        case "eager": return .eager
        case "lazy": return .lazy
        default:
            guard let byteCount = byteCount(text) else {
                throw .usage(
                    "invalid value '\(text)' for '--blobs'",
                    hint: "use eager, lazy, or a size such as 500kB, 2MB or 1GB"
                )
            }
            return .upTo(byteCount)
        }
    }

    /// Parses `2MB`, `2 MB` or `2000000`; units are powers of a thousand.
    static func byteCount(_ text: String) -> UInt64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = UInt64(digits) else { return nil }
        let unit: UInt64
        switch text.dropFirst(digits.count).drop(while: { $0 == " " }).lowercased() {
        case "", "b": unit = 1
        case "k", "kb": unit = 1000
        case "m", "mb": unit = 1_000_000
        case "g", "gb": unit = 1_000_000_000
        default: return nil
        }
        let (product, isTooGreat) = number.multipliedReportingOverflow(by: unit)
        return isTooGreat ? nil : product
    }
}
