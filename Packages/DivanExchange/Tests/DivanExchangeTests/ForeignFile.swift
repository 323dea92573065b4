import DivanExchange
import DivanJSON

/// A file as another program writes it, made for these tests from the public documentation of its format.
struct ForeignFile: Sendable, CustomStringConvertible {
    /// What it is.
    var name: String
    /// The page that describes the format.
    var page: String
    var format: DocumentFormat
    /// The key of the ID.
    var idKey = "_id"
    /// The bytes of the file.
    var bytes: [UInt8]
    /// The documents as JSON lines: what an import must not lose.
    var documents: String
    /// Whether documents keep the key of the ID.
    var keepsKey = false
    /// Whether comma-separated values have everything that the documents have.
    var isTable = false

    init(
        _ name: String,
        page: String,
        as format: DocumentFormat,
        idKey: String = "_id",
        keepsKey: Bool = false,
        isTable: Bool = false,
        _ text: String,
        documents: String
    ) {
        self.name = name
        self.page = page
        self.format = format
        self.idKey = idKey
        self.keepsKey = keepsKey
        self.isTable = isTable
        bytes = Array(text.utf8)
        self.documents = documents
    }

    var description: String { name }

    /// All files.
    static let all = texts + compressed
    /// Those that are not compressed.
    static let texts = plain + tables + mongo + couch + nested + geo
}

extension DocumentFormat {
    /// The value at a JSON pointer.
    static func nested(_ pointer: String) -> DocumentFormat {
        JSONPointer(pointer).map { .nestedJSON($0) } ?? .json
    }
}
