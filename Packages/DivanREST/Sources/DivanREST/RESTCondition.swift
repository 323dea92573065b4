public import DivanJSON
import DivanLog
public import DivanQuery
import DivanRevisions
import DivanStore

/// Chooses the documents that a client may see and store, by a condition in SQL++.
///
/// Others look as if they were not there. A deletion has no body to be judged by, so it shows only where
/// the condition speaks of `META().deleted`. One that fails for a document hides it.
public struct RESTCondition: Equatable, Sendable {
    /// The condition as it was written.
    public let text: String
    /// The values of its parameters.
    public let parameters: [ExactText: QueryValue]
    let test: BodyCondition

    /// Reads a condition, such as `owner = $user`.
    ///
    /// - Parameters:
    ///   - text: An expression of SQL++.
    ///   - parameters: A value for each of its parameters; others are ignored.
    /// - Throws: `QueryError` with the place in the text.
    public init(_ text: String, parameters: [ExactText: QueryValue] = [:]) throws {
        self.text = text
        self.parameters = parameters
        test = try BodyCondition(sql: text, parameters: parameters)
    }

    /// Whether two conditions are one: the same text with the same values.
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
            Log(.listener).warning("A condition fails for document \(documentID): \(error)")
            return false
        }
    }
}
