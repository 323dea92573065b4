import DivanDatabase
public import DivanJSON
import DivanLog
public import DivanQuery
import DivanRevisions

/// Selects the documents that a client can read and write, with a condition in SQL++.
///
/// Other documents appear not to exist. Deletions have no body, so they are only visible if the condition mentions
/// `META().deleted`. If evaluating the condition fails, the document is hidden.
public struct RESTCondition: Equatable, Sendable {
    /// The condition's text, as written.
    public let text: String
    /// The values of its parameters.
    public let parameters: [ExactText: QueryValue]
    let test: BodyCondition

    /// Parses a condition, such as `owner = $user`.
    ///
    /// - Parameters:
    ///   - text: An SQL++ expression.
    ///   - parameters: Values for its parameters; others are ignored.
    /// - Throws: `QueryError` with the position in the text.
    public init(_ text: String, parameters: [ExactText: QueryValue] = [:]) throws {
        self.text = text
        self.parameters = parameters
        test = try BodyCondition(sql: text, parameters: parameters)
    }

    /// Whether two conditions are equal: the same text with the same values.
    public static func == (left: RESTCondition, right: RESTCondition) -> Bool {
        left.text == right.text && left.parameters == right.parameters
    }

    func holds(of document: StoredDocument) -> Bool {
        holds(of: document.documentID, body: document.body, isDeleted: document.isTombstone)
    }

    func holds(of documentID: DocumentID, body: [UInt8], isDeleted: Bool = false) -> Bool {
        do {
            return try test.holds(of: documentID, body: body, isDeleted: isDeleted)
        } catch {
            Log(.listener).warning(
                "Cannot evaluate the condition for document \(documentID): \(error)"
            )
            return false
        }
    }
}
