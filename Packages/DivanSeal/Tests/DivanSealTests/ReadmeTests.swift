import DivanSeal
import Testing

@Test("The README example works")
func readme() throws {
    let content = Array("content".utf8)
    let digest = [UInt8](repeating: 0, count: 20)

    let key = try SealKey()  // a new one; CredentialKey("notes").key() reads systemd's
    let sealer = try BlobSealer(Seal(key: key))
    let file = try sealer.append(content.span) + sealer.finish(digest: digest)  // its SHA-1

    let messages = try MessageSeal(key, label: "notes")
    let place = Array("notes/1".utf8)
    let sealed = try messages.seal(content.span, binding: place)
    #expect(try messages.open(sealed.span, binding: place) == content)

    #expect(file.count == BlobLayout(byteCount: content.count).fileByteCount)
}
