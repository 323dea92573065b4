import CouchbaseLiteSwift
import DivanCommandLine
import DivanJSON
import DivanQuery
import DivanREST

/// The documents that a user may read and write: a SQL++ condition, in which `$user` is the user's name.
///
/// The name is a value, never part of the text, so that no name can change the condition.
struct UserCondition: Equatable, Sendable {
    /// The condition as it was written.
    let text: String
    private let asksForUser: Bool

    /// Checks a condition.
    ///
    /// - Throws: `Failure` with the place of the error.
    init(_ text: String, of user: String) throws(Failure) {
        do {
            _ = try RESTCondition(text, parameters: ["user": .string(user)])
            // A parameter without a value is an error.
            asksForUser = (try? RESTCondition(text)) == nil
            self.text = text
        } catch {
            let failure = Failure(explaining: error)
            throw Failure(
                kind: .invalid,
                sentence: "condition of user '\(user)': \(failure.sentence)",
                hint: failure.hint
            )
        }
    }

    /// The same for a client of the REST interface.
    func asked(of user: String) throws -> RESTCondition {
        try RESTCondition(text, parameters: ["user": .string(user)])
    }

    /// Limits a user's access to the documents that meet the condition.
    func limit(_ access: inout ListenerAccess, of user: String) throws {
        let parameters = asksForUser ? Parameters().setString(user, forName: "user") : nil
        try access.limit(where: text, parameters: parameters)
    }
}
