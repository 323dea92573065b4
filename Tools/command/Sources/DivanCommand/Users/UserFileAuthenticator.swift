import DivanCommandLine
import DivanCrypto
import DivanJSON
import DivanPlatform
import Synchronization

/// Admits the users of a file while a listener runs, and follows the file's changes.
///
/// A password that was correct once is remembered under a key of this process, so that a returning
/// peer costs a digest instead of a fifth of a second. Unknown names take as long as known
/// ones. May be called from any thread.
final class UserFileAuthenticator: Sendable {
    /// A user, and which edition of the record it is: a changed record has another.
    struct Entry: Sendable {
        let record: UserRecord
        let edition: UInt64
    }

    private struct State {
        /// The users of the last file that could be read.
        var users: [ExactText: Entry] = [:]
        /// How often they have changed.
        var edition: UInt64 = 0
        /// Whether the file can be read now.
        var isReadable = true
        var stamp: FileStamp

        /// Takes over a file's users; those that are unchanged keep their edition.
        mutating func take(_ list: UserList) {
            edition += 1
            users = Dictionary(
                uniqueKeysWithValues: list.users.map { name, record in
                    let known = users[name].flatMap { $0.record == record ? $0 : nil }
                    return (name, known ?? Entry(record: record, edition: edition))
                }
            )
            proofs = proofs.filter { users[$0.key] != nil }
        }

        /// A proof of the last correct password, and the hash that it matched.
        var proofs: [ExactText: (hash: PasswordHash, proof: [UInt8])] = [:]
    }

    private let file: UserFile
    private let key = SystemRandomSource().bytes(32)
    private let state: Mutex<State>
    private let onProblem: @Sendable (String) -> Void

    /// Reads the file; later problems with it are reported to `onProblem`, and then all logins are rejected.
    init(_ file: UserFile, onProblem: @escaping @Sendable (String) -> Void) throws {
        self.file = file
        self.onProblem = onProblem
        let stamp = FileStamp(of: file.path)
        var state = State(stamp: stamp)
        state.take(try file.read())
        self.state = Mutex(state)
    }

    /// The user with this name, as the file was when it was last checked: at each login, and by `refresh`.
    ///
    /// If the file cannot be read, connected users keep their permissions.
    func user(_ name: String) -> Entry? { state.withLock { $0.users[ExactText(name)] } }

    /// Reads the file if it has changed; returns how often its users have changed.
    @discardableResult
    func refresh() -> UInt64 {
        let stamp = FileStamp(of: file.path)
        let (edition, problem) = state.withLock { state -> (UInt64, String?) in
            guard stamp != state.stamp else { return (state.edition, nil) }
            state.stamp = stamp
            do {
                state.take(try file.read())
                state.isReadable = true
                return (state.edition, nil)
            } catch {
                state.isReadable = false
                return (state.edition, (error as? Failure)?.line ?? "\(error)")
            }
        }
        if let problem { onProblem("\(problem); logins are rejected until then") }
        return edition
    }

    /// Whether the file could be read the last time; otherwise logins are rejected.
    var isReadable: Bool { state.withLock { $0.isReadable } }

    /// Whether this is the password of the user.
    func accepts(_ name: String, _ password: String) -> Bool {
        guard let hash = currentHash(of: name) else {
            let salt = [UInt8](repeating: 0, count: 16)
            _ = try? Scrypt.standard.key(
                password: Array(password.utf8).span,
                salt: salt.span,
                byteCount: 32
            )
            return false
        }
        let proof = proof(name, password)
        let known = state.withLock { $0.proofs[ExactText(name)] }
        if let known, known.hash == hash, isEqualInConstantTime(known.proof.span, proof.span) {
            return true
        }
        guard (try? hash.matches(password)) == true else { return false }
        // The password may have been changed meanwhile.
        guard currentHash(of: name) == hash else { return false }
        state.withLock { $0.proofs[ExactText(name)] = (hash, proof) }
        return true
    }

    private func currentHash(of name: String) -> PasswordHash? {
        refresh()
        return state.withLock { state in
            state.isReadable ? state.users[ExactText(name)]?.record.password : nil
        }
    }

    private func proof(_ name: String, _ password: String) -> [UInt8] {
        var hash = SHA256()
        // A name contains no zero byte, so two different pairs never give the same bytes.
        for part in [key, Array(name.utf8), [0], Array(password.utf8)] { hash.update(part.span) }
        return hash.finalize()
    }
}
