import Foundation

/// A value that stands for something in a document, so that no other coder can carry it.
protocol DocumentOnly {
    /// What it is called, with its article.
    static var noun: String { get }
}

extension DocumentOnly {
    /// What every decoder but the one of documents is told.
    static func undecodable(by decoder: any Decoder) -> NSError {
        NSError(
            CBLError.decodingError,
            "\(decoder.codingPath.text): \(noun) is decoded from a document only; "
                + "use Collection.document(id:as:)"
        )
    }

    /// What every encoder but the one of documents is told.
    func unencodable(by encoder: any Encoder) -> NSError {
        NSError(
            CBLError.encodingError,
            "\(encoder.codingPath.text): \(Self.noun) is encoded into a document only; "
                + "use Collection.save(from:)"
        )
    }
}

extension [any CodingKey] {
    /// The place, for a sentence.
    fileprivate var text: String {
        isEmpty ? "The value itself" : map(\.stringValue).joined(separator: ".")
    }
}
