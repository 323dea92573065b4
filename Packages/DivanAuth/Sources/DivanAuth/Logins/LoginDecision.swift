/// What becomes of a client that asks to log in.
public enum LoginDecision: Equatable, Sendable {
    /// It may log in, unless others that count with it have failed before its turn comes: ask again.
    case now
    /// It may log in then; those that come later and count with it wait behind it.
    case after(Duration)
    /// Its address has too many seats, or too many attempts that wait.
    case refused
}
