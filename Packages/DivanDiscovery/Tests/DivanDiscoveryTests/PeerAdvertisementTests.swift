import DivanDiscovery
import Testing

/// Data that a service record cannot carry are refused before the daemon is called.
@Suite struct PeerAdvertisementTests {
    func refusal(
        name: String = "jukebox",
        port: UInt16 = 4_984,
        attributes: [String: String] = [:]
    ) -> DiscoveryError? {
        do {
            _ = try PeerAdvertisement(name: name, port: port, attributes: attributes)
            return nil
        } catch {
            return error
        }
    }

    @Test func `names that fit a DNS label are accepted, including spaces`() {
        for name in ["j", "Ada's jukebox", "Büro", String(repeating: "x", count: 63)] {
            #expect(refusal(name: name) == nil)
        }
    }

    @Test(arguments: ["", "a\nb", "a\u{0}", String(repeating: "x", count: 64)])
    func `other names are rejected`(name: String) {
        #expect(refusal(name: name) == .invalidName(name))
    }

    @Test func `port 0 is rejected`() {
        #expect(refusal(port: 0) == .invalidPort)
    }

    @Test func `attributes are limited to one string each and one packet in total`() {
        let longest = String(repeating: "v", count: 253)
        #expect(refusal(attributes: ["k": longest]) == nil)
        #expect(refusal(attributes: ["k": longest + "v"]) == .invalidAttribute("k"))
        for key in ["", "a=b", "ä", "a\n"] {
            #expect(refusal(attributes: [key: "v"]) == .invalidAttribute(key))
        }
        #expect(refusal(attributes: ["k": "\u{0}"]) == .invalidAttribute("k"))
        let many = Dictionary(uniqueKeysWithValues: (0..<6).map { ("\($0)", longest) })
        #expect(refusal(attributes: many) == .attributesTooLarge(byteCount: 1_536, limit: 1_300))
    }

    @Test(arguments: [
        "_12", "_1f2e3d4c5b6a7980", "_a-B_9", "_" + String(repeating: "x", count: 62),
    ])
    func `a subtype that Avahi accepts belongs to the type of meshes`(subtype: String) throws {
        let service = try ServiceType.mesh(subtype: subtype)
        #expect(service.name == "_divan-mesh._tcp")
        #expect(service.subtype == subtype)
        #expect(service != .listener)
    }

    @Test(arguments: [
        "", "_", "_1", "abc", "_a.b", "_a b", "_ä1", "_" + String(repeating: "x", count: 63),
    ])
    func `other subtypes are rejected`(subtype: String) {
        #expect(throws: DiscoveryError.invalidSubtype(subtype)) {
            try ServiceType.mesh(subtype: subtype)
        }
    }

    @Test func `a record of bytes is advertised as it is`() throws {
        let strings: [[UInt8]] = [Array("v=1".utf8), Array("nb=".utf8) + [0, 0xFF, 0x3D]]
        let record = try TextRecord(strings: strings)
        let advertisement = try PeerAdvertisement(name: "a", port: 1, record: record)
        #expect(advertisement.record.strings == strings)
        #expect(advertisement.service == .listener)
        #expect(advertisement.attributes["v"] == "1")
    }

    @Test func `a record that does not fit is rejected`() {
        let longest = Array("k=".utf8) + [UInt8](repeating: 0, count: 253)
        #expect(throws: DiscoveryError.invalidAttribute("k")) {
            try TextRecord(strings: [longest + [0]])
        }
        for string in [[], Array("=v".utf8), Array("ä=v".utf8), [0x0A, 0x3D]] {
            #expect(throws: DiscoveryError.self) { try TextRecord(strings: [string]) }
        }
        #expect(throws: DiscoveryError.attributesTooLarge(byteCount: 1_536, limit: 1_300)) {
            try TextRecord(strings: [[UInt8]](repeating: longest, count: 6))
        }
    }

    @Test func `every error says what to do`() {
        let errors: [(DiscoveryError, String)] = [
            (.noDaemon(code: -26), "install and start avahi-daemon, or use a static list of peers"),
            (.avahi(.browsing, code: -8), "browsing failed (Local name collision); see the log of"),
            (.invalidName("\n"), #"invalid peer name "\n"; use 1 to 63 bytes"#),
            (.invalidSubtype("x"), #"invalid subtype "x"; use _ and letters"#),
            (.invalidPort, "port 0 is invalid; start the listener first"),
            (.invalidAttribute("k"), #"invalid attribute "k"; use an ASCII key"#),
            (
                .attributesTooLarge(byteCount: 2, limit: 1),
                "attributes of 2 bytes exceed the limit of 1; "
            ),
        ]
        for (error, text) in errors {
            #expect("\(error)".hasPrefix("peer discovery: "))
            #expect("\(error)".contains(text), "\(error)")
        }
    }
}
