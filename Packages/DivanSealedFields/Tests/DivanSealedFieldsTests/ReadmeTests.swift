import DivanJSON
import DivanSeal
import DivanSealedFields
import Testing

@Test("The README example works")
func readme() throws {
    let (oldKey, newKey) = (try SealKey(), try SealKey())
    let keyring = try FieldKeyring(current: "2026", keys: ["2025": oldKey, "2026": newKey])
    let fields = DocumentFields(scope: "_default", collection: "people", documentID: "ada")
    let local = Array(#"{"name":"Ada","ssn":{"@type":"encryptable","value":"1"}}"#.utf8)

    let sent = try fields.sealed(local, by: keyring.seal)
    let received = try fields.opened(sent, by: keyring.open)  // as it was
    #expect(received == local)
    let text = String(decoding: sent, as: UTF8.self)
    #expect(text.hasPrefix(#"{"encrypted$ssn":{"alg":"DIVAN_AES_256_GCM","ciphertext":""#))
    #expect(text.hasSuffix(#"","kid":"2026"},"name":"Ada"}"#))
}
