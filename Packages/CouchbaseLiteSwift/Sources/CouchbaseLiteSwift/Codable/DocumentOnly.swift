import Foundation

/// A value that only has meaning in a document, so other coders cannot carry it.
protocol DocumentOnly {
    /// Its name, with the article.
    static var noun: String { get }
}

extension DocumentOnly {
    /// The error for every decoder except the one for documents.
    static func undecodable(by decoder: any Decoder) -> NSError {
        NSError(
            CBLError.decodingError,
            "\(decoder.codingPath.text): \(noun) can only be decoded from a document; "
                + "use Collection.document(id:as:)"
        )
    }

    /// The error for every encoder except the one for documents.
    func unencodable(by encoder: any Encoder) -> NSError {
        NSError(
            CBLError.encodingError,
            "\(encoder.codingPath.text): \(Self.noun) can only be encoded into a document; "
                + "use Collection.save(from:)"
        )
    }
}

extension [any CodingKey] {
    /// The coding path, as text for a message.
    fileprivate var text: String {
        isEmpty ? "the value itself" : map(\.stringValue).joined(separator: ".")
    }
}
