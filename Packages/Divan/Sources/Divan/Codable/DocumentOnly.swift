/// A value that stands for something in a document, so that no other coder can carry it.
protocol DocumentOnly {
    /// What it is called, with its article.
    static var noun: String { get }
}

extension DocumentOnly {
    /// What every decoder but the one of documents is told.
    static func undecodable(by decoder: any Decoder) -> DecodingError {
        DecodingError.typeMismatch(
            Self.self,
            DecodingError.Context(
                codingPath: decoder.codingPath,
                debugDescription: "\(noun) is decoded from a document only; "
                    + "use Collection.document(id:as:)"
            )
        )
    }

    /// What every encoder but the one of documents is told.
    func unencodable(by encoder: any Encoder) -> EncodingError {
        EncodingError.invalidValue(
            self,
            EncodingError.Context(
                codingPath: encoder.codingPath,
                debugDescription: "\(Self.noun) is encoded into a document only; "
                    + "use Collection.save(from:)"
            )
        )
    }
}
