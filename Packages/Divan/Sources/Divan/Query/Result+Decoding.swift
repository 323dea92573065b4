import DivanJSON
import Foundation

extension Result {
    /// Decodes the row; the keys of the type are columns.
    ///
    /// - Parameters:
    ///   - type: What the row becomes. A property marked with `@DocumentID` is read from the column
    ///     of its name.
    ///   - dataKey: A column that holds a dictionary, in which keys are looked up that are no
    ///     columns: for `SELECT META().id, * FROM notes` it is `"notes"`.
    /// - Returns: The row as that type.
    /// - Throws: `CBLError.invalidQuery` when a column is missing; `decodingError` when one has
    ///   another type.
    public func data<T: Decodable>(as type: T.Type, dataKey: String? = nil) throws -> T {
        var members: [JSONObject.Member] = []
        if let dataKey, let index = columns.index(of: dataKey),
            case .object(let data) = json(at: index)
        {
            members += data.map { ($0.key, $0.value) }
        }
        for (index, title) in columns.titles.enumerated() {
            if let json = json(at: index) { members.append((title.text, json)) }
        }
        do {
            return try ModelDecoder.decode(type, fromRow: JSONObject(members), in: database)
        } catch DecodingError.keyNotFound(let key, _) {
            throw NSError(CBLError.invalidQuery, "Query is missing field '\(key.stringValue)'")
        } catch let error as DecodingError {
            throw NSError(
                error.isNested ? CBLError.invalidQuery : CBLError.decodingError,
                "The row does not fit \(T.self): \(error)",
                cause: error
            )
        }
    }
}

extension ResultSet {
    /// Decodes the rows that are left; see ``Result/data(as:dataKey:)``.
    ///
    /// - Throws: As there, at the first row that does not fit; the rows behind it are left.
    public func data<T: Decodable>(as type: T.Type, dataKey: String? = nil) throws -> [T] {
        var models: [T] = []
        while let result = next() { models.append(try result.data(as: type, dataKey: dataKey)) }
        return models
    }
}

extension DecodingError {
    /// Whether the value stands inside a column.
    fileprivate var isNested: Bool {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .keyNotFound(_, let context), .dataCorrupted(let context):
            context.codingPath.count > 1
        @unknown default: false
        }
    }
}
