import DivanCommandLine
import DivanCrypto
import DivanJSON
import Glibc
import Synchronization

/// Admits the users of a file while a listener runs, and follows the file's changes.
///
/// A password that was correct once is remembered under a key of this process, so that a returning
/// peer costs a digest instead of a fifth of a second. Unknown names take as long as known
/// ones. May be called from any thread.
final class UserGate: Sendable {
    /// When a file, or its permissions, changed last: precise enough to notice every later change.
    private struct Stamp: Equatable {
        var seconds = 0
        var nanoseconds = 0
        var byteCount: Int64 = 0
        var number: UInt64 = 0
    }

    private struct State {
        var list: UserList
        var stamp: Stamp
        /// A proof of the last correct password, and the hash that it matched.
        var proofs: [ExactText: (hash: PasswordHash, proof: [UInt8])] = [:]
        var problem: String?
    }

    private let file: UserFile
    private let key = SystemRandomSource().bytes(32)
    private let state: Mutex<State>
    private let onProblem: @Sendable (String) -> Void

    /// Reads the file; later problems with it are reported to `onProblem`, and then nobody is admitted.
    init(_ file: UserFile, onProblem: @escaping @Sendable (String) -> Void) throws {
        self.file = file
        self.onProblem = onProblem
        let stamp = Self.stamp(of: file.path)
        state = Mutex(State(list: try file.read(), stamp: stamp))
    }

    /// The user with this name, as the file is now.
    func user(_ name: String) -> UserRecord? { current()[ExactText(name)] }

    /// Whether this is the password of the user.
    func accepts(_ name: String, _ password: String) -> Bool {
        guard let user = current()[ExactText(name)] else {
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
        if let known, known.hash == user.password,
            isEqualInConstantTime(known.proof.span, proof.span)
        {
            return true
        }
        guard (try? user.password.matches(password)) == true else { return false }
        state.withLock { $0.proofs[ExactText(name)] = (user.password, proof) }
        return true
    }

    private func proof(_ name: String, _ password: String) -> [UInt8] {
        var hash = SHA256()
        // A name contains no zero byte, so two different pairs never give the same bytes.
        for part in [key, Array(name.utf8), [0], Array(password.utf8)] { hash.update(part.span) }
        return hash.finalize()
    }

    private func current() -> [ExactText: UserRecord] {
        let stamp = Self.stamp(of: file.path)
        let (users, problem) = state.withLock { state -> ([ExactText: UserRecord], String?) in
            guard stamp != state.stamp else { return (state.list.users, nil) }
            state.stamp = stamp
            do {
                state.list = try file.read()
                state.proofs = state.proofs.filter { state.list.users[$0.key] != nil }
                return (state.list.users, nil)
            } catch {
                state.list = UserList()
                return ([:], (error as? Failure)?.sentence ?? "\(error)")
            }
        }
        if let problem { onProblem("\(problem); nobody is let in until then") }
        return users
    }

    private static func stamp(of path: String) -> Stamp {
        var status = stat()
        guard stat(path, &status) == 0 else { return Stamp() }
        return Stamp(
            seconds: status.st_ctim.tv_sec,
            nanoseconds: status.st_ctim.tv_nsec,
            byteCount: Int64(status.st_size),
            number: UInt64(status.st_ino)
        )
    }
}
