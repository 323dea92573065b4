/// Who asks to come in.
struct LoginVisitor {
    /// The address as text.
    var host: String
    /// The user name that it gave, true or not.
    var name: String?
    /// A digest of what it shows besides name and password, such as a cookie; `nil` where those are all.
    var token: [UInt8]?
    /// Whether its address stands for many, so that the number of connections does not matter.
    var isExempt = false
}
