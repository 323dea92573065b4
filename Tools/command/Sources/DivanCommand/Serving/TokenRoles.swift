import DivanAuth
import DivanCommandLine
import DivanJSON

/// The file of `divan serve --jwt-roles`: the permissions of each role.
///
/// The file is JSON: `{"cook":{"readOnly":true,"collections":["geo.places"],"where":"owner = $user","queries":["cheap"]}}`,
/// with the same members as a file of users.
struct TokenRoles: Sendable {
    private let rights: [ExactText: UserRights]
    private let claim: String

    /// Reads the file.
    ///
    /// - Throws: `Failure` that names the file and the role.
    init(_ path: String, claim: String) throws {
        self.claim = claim
        let root: JSON
        do {
            root = try JSON(parsing: try IdentityFile.contents(path).withoutByteOrderMark)
        } catch let error as JSONError {
            throw Failure(kind: .invalid, text: "\(path): \(error)")
        }
        guard let entries = root.object else {
            throw Failure(
                kind: .invalid,
                sentence: "\(path): not a file of roles",
                hint: #"write {"ROLE": {"readOnly": true}}"#
            )
        }
        var rights: [ExactText: UserRights] = [:]
        for (name, value) in entries {
            guard let members = value.object else {
                throw Failure(kind: .invalid, text: "\(path): role '\(name)' is not an object")
            }
            do {
                rights[ExactText(name)] = try UserRights(members, of: name)
            } catch let problem as UserRights.Problem {
                throw Failure(kind: .invalid, text: "\(path): role '\(name)': \(problem.text)")
            }
        }
        self.rights = rights
    }

    /// The permissions of the first role of a token that the file has; `nil` if it has none.
    ///
    /// The claim is a list, or a text with blanks between the roles, as in `scope`.
    func rights(of token: VerifiedToken) -> UserRights? {
        let value = token.claims[claim]
        let names =
            value?.array?.compactMap(\.string)
            ?? value?.string?.split(separator: " ").map(String.init) ?? []
        return names.lazy.compactMap { rights[ExactText($0)] }.first
    }
}
