/// A client that asks to log in.
struct LoginClient {
    /// The address as text.
    var host: String
    /// The user name that it gave, true or not.
    var name: String?
    /// A digest of what it presents besides name and password, such as a cookie; `nil` if there is nothing else.
    var token: [UInt8]?
    /// Whether its address is shared by many, so that the number of connections does not matter.
    var isExempt = false
}
