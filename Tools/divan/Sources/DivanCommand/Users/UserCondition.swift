import Divan
import DivanCommandLine
import DivanJSON
import DivanQuery
import DivanREST

/// Which documents a user may see and store: a condition in SQL++, in which `$user` is the name.
///
/// The name is a value, never a part of the text, so that no name changes what is asked.
struct UserCondition: Equatable, Sendable {
    /// The condition as it was written.
    let text: String
    private let asksForUser: Bool

    /// Checks a condition.
    ///
    /// - Throws: `Failure` with the place of the mistake.
    init(_ text: String, of user: String) throws(Failure) {
        do {
            _ = try RESTCondition(text, parameters: ["user": .string(user)])
            // A parameter without a value is an error.
            asksForUser = (try? RESTCondition(text)) == nil
            self.text = text
        } catch {
            throw Failure(
                kind: .invalid,
                sentence: "the condition of \"\(user)\": \(Failure(explaining: error).sentence)"
            )
        }
    }

    /// The same for a client of the REST interface.
    func asked(of user: String) throws -> RESTCondition {
        try RESTCondition(text, parameters: ["user": .string(user)])
    }

    /// Limits what a user may do to the documents that meet the condition.
    func limit(_ access: inout ListenerAccess, of user: String) throws {
        let parameters = asksForUser ? Parameters().setString(user, forName: "user") : nil
        try access.limit(where: text, parameters: parameters)
    }
}
