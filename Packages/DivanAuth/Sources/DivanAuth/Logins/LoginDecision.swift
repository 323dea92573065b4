/// The decision about a login attempt.
public enum LoginDecision: Equatable, Sendable {
    /// It may log in now, unless other attempts counted with it have failed in the meantime: check again.
    case now
    /// It may log in after this time; later attempts counted with it wait longer.
    case after(Duration)
    /// Its address has too many connections, or too many waiting attempts.
    case refused
}
