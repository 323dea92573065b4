internal import DivanJSON

extension Document: Codable {
    /// Only decodes from a document of this module, for collections and queries of documents of any shape.
    ///
    /// - Throws: ``DivanError/Code/decodingFailed`` with any other decoder.
    public init(from decoder: any Decoder) throws {
        guard let reader = decoder as? ModelReader, let id = reader.context.documentID,
            case .object = reader.json
        else {
            throw DivanError(
                .decodingFailed,
                problem: "a Document can only be decoded from a document",
                remedy: "use DocumentCollection.get(_:)"
            )
        }
        self.init(id: id)
        properties = DocumentValue(reader.json, reader.context.contents)
    }

    /// Only encodes its properties into a document of this module.
    ///
    /// - Throws: ``DivanError/Code/encodingFailed`` with any other encoder.
    public func encode(to encoder: any Encoder) throws { try properties.encode(to: encoder) }
}
