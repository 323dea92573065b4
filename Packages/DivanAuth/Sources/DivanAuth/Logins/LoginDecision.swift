/// The decision about a client that asks to log in.
public enum LoginDecision: Equatable, Sendable {
    /// It may log in, unless others that count with it have failed before its turn: ask again.
    case now
    /// It may log in after this time; later ones that count with it wait behind it.
    case after(Duration)
    /// Its address has too many seats, or too many waiting attempts.
    case refused
}
