/// A class that can be saved as a document; it needs one ``DocumentID`` property.
public typealias DocumentEncodable = Encodable & AnyObject
/// A class that can be read from a document; it needs one ``DocumentID`` property.
public typealias DocumentDecodable = Decodable & AnyObject
/// A class that can be saved as a document and read from one.
public typealias DocumentCodable = DocumentEncodable & DocumentDecodable

/// A model class that represents its whole document: saving it removes all keys that it does not have.
///
/// Other models keep unknown keys, so that an older program does not delete data of a newer one. Declare the
/// conformance in the file of the class: a linker may omit a file of a static library that contains only an extension.
/// An addition to the official API.
public protocol WholeDocumentModel: AnyObject {}

/// The property wrapper for a model's document ID.
///
/// A model has exactly one, and a class's own takes precedence over those of its superclasses. It is not written to the
/// body. It also remembers the revision that was read or saved, so that conflicts are detected. If it is `nil`, an ID
/// is generated at the first save. If you set an ID, the model is saved as that document. Changing the ID after the
/// model was read or saved stops the program.
///
/// Source: `api-map.md` §18.
@propertyWrapper
public final class DocumentID: Codable {
    private var id: String?
    /// The revision that the model was read or saved as, and where.
    var standing = DocumentState(nil, in: nil)
    /// The members of the document that the model did not read.
    var unknown: UnknownMembers?

    /// Creates an ID; with `nil`, one is generated.
    public init(wrappedValue: String?) {
        id = wrappedValue
    }

    /// Creates an ID that is generated at the first save.
    public init() {}

    /// The document's ID, or `nil` until one is generated.
    public var wrappedValue: String? {
        get { id }
        set {
            guard standing.valid.state == nil else {
                stopForMisuse(
                    "DocumentID \(id ?? ""): the ID of a saved model is fixed; create a new model"
                )
            }
            id = newValue
        }
    }

    /// Reads the ID as a string, for other decoders.
    public init(from decoder: any Decoder) throws {
        id = try decoder.singleValueContainer().decode(String?.self)
    }

    /// Writes the ID as a string, for other encoders.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(id)
    }

    /// Creates the ID for a model that is read from `document`.
    init(of document: Document) {
        adopt(document)
    }

    /// Adopts the document's state after a save or deletion.
    func adopt(_ document: Document) {
        id = document.id
        standing = document.standing
    }

    /// The IDs among a model's properties, from the most derived class that has any.
    ///
    /// A class that encodes and decodes itself may leave its own ID out, and still have its superclass's written.
    static func all(in model: Any) -> [DocumentID] {
        var mirror: Mirror? = Mirror(reflecting: model)
        while let level = mirror {
            // A cast of another value to a class may convert it first.
            let own = level.children.compactMap { child in
                type(of: child.value) == DocumentID.self ? child.value as? DocumentID : nil
            }
            if !own.isEmpty { return own }
            mirror = level.superclassMirror
        }
        return []
    }
}
