import DivanAuth
import DivanCommandLine
import DivanJSON
import Synchronization

/// The file of `divan serve --jwt-roles`: the permissions of each role.
///
/// The file is JSON: `{"cook":{"readOnly":true,"collections":["geo.places"],"where":"owner = $user","queries":["cheap"]}}`,
/// with the same members as a file of users. May be used from any thread.
final class TokenRoles: Sendable {
    private let path: String
    private let claim: String
    private let rights: Mutex<[ExactText: UserRights]>

    /// Reads the file.
    ///
    /// - Throws: `Failure` that names the file and the role.
    init(_ path: String, claim: String) throws {
        self.path = path
        self.claim = claim
        rights = Mutex(try Self.read(path))
    }

    /// Reads the file again.
    ///
    /// - Throws: As `init`; the roles are then unchanged.
    func reload() throws {
        guard path != "-" else { return }
        let new = try Self.read(path)
        rights.withLock { $0 = new }
    }

    private static func read(_ path: String) throws -> [ExactText: UserRights] {
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
        return rights
    }

    /// The permissions of the first role of a token that the file has; `nil` if it has none.
    ///
    /// The claim is a list, or a text with blanks between the roles, as in `scope`.
    func rights(of token: VerifiedToken) -> UserRights? {
        let value = token.claims[claim]
        let names =
            value?.array?.compactMap(\.string)
            ?? value?.string?.split(separator: " ").map(String.init) ?? []
        let rights = rights.withLock { $0 }
        return names.lazy.compactMap { rights[ExactText($0)] }.first
    }
}
