import DivanCrypto
import DivanTLS
import Testing

/// Chains that are longer or larger than any real one are refused, and quickly.
@Suite struct LongChainTests {
    enum Shape: CaseIterable {
        /// A hundred authorities between the leaf and the root.
        case hundredAuthorities
        /// More than a megabyte of certificates.
        case megabyte
    }

    private func issuer(_ shape: Shape, below root: TLSCredential) throws -> TLSCredential {
        var issuer = root
        for number in 0..<(shape == .megabyte ? 20 : 100) {
            var template = CertificateTemplate(
                attributes: ["CN": "middle-\(number)"],
                usages: [],
                now: Sample.now
            )
            template.isAuthority = true
            if shape == .megabyte {
                let name = String(repeating: "x", count: 50) + "."
                template.alternativeNames = (0..<900).map { .hostname("\(name)\($0).example") }
            }
            issuer = try TLSCredential.generate(template, key: .p256, issuer: issuer)
        }
        return issuer
    }

    @Test(arguments: Shape.allCases)
    func `a client refuses an oversized chain from a server`(shape: Shape) throws {
        let root = try Sample.authority()
        let identity = try Sample.server(issuer: issuer(shape, below: root))
        let pair = try SessionPair(
            client: ClientTLSConfiguration(serverTrust: .roots([root.leaf])),
            server: ServerTLSConfiguration(credential: identity)
        )
        pair.run()
        #expect(pair.clientError != nil)
        #expect(pair.client.state == .closed)
        #expect(pair.server.state == .closed)
    }

    @Test(arguments: Shape.allCases)
    func `a server refuses an oversized chain from a client`(shape: Shape) throws {
        let root = try Sample.authority()
        let identity = try Sample.server()
        let pair = try SessionPair(
            client: ClientTLSConfiguration(
                serverTrust: .pinned(identity.leaf),
                credential: Sample.client(issuer: issuer(shape, below: root))
            ),
            server: ServerTLSConfiguration(
                credential: identity,
                clientCertificates: .roots([root.leaf])
            )
        )
        pair.run()
        #expect(pair.serverError != nil)
        #expect(pair.server.state == .closed)
        #expect(pair.clientError != nil)
    }
}
