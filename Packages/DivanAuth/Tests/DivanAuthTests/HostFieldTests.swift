import DivanAuth
import Testing

/// Which web pages are the server's own.
@Suite struct HostFieldTests {
    @Test(arguments: [
        ("host.example", "https://host.example", true, true),
        ("host.example:4984", "HTTPS://Host.Example:4984", true, true),
        ("host.example", "http://host.example", true, false),
        ("host.example", "http://host.example", false, true),
        ("host.example", "https://host.example", false, true),
        ("host.example", "https://other.example", false, false),
        ("host.example", "https://host.example:1", false, false),
        ("host.example", "null", false, false), ("", "https://host.example", true, false),
    ]) func `with TLS a page that came without it is another origin`(
        host: String,
        origin: String,
        isSecure: Bool,
        isOwn: Bool
    ) {
        #expect(HostField(host).isOrigin(origin, isSecure: isSecure) == isOwn)
    }
}
