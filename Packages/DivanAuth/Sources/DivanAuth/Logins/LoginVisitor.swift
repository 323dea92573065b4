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

    /// Whose failures and connections count with this one's.
    ///
    /// A program on this machine may choose among sixteen million addresses. Where they stand for many they
    /// are one, as what counts there is the name; elsewhere each stands for a client.
    var owner: String {
        isExempt && host.hasPrefix("127.") ? "127.0.0.1" : AddressLedger.key(host)
    }
}
