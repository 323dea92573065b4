"""The keys and blobs of Docs/formats/sealed-database.md once more, with nothing of Divan: vectors, and a reader.

    sealed.py vectors                       the vectors, as JSON
    sealed.py blob KEY SEALED DIGEST PLAIN  opens a content
"""
import hashlib, json, sys
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

CIPHERS = {1: AESGCM, 2: ChaCha20Poly1305}


class Blob:
    SIZE = 65536

    def __init__(self, key, number, salt):
        okm = HKDF(hashes.SHA256(), 36, salt, b"divan blob").derive(key)
        self.head = b"DvB" + bytes([number]) + okm[32:] + salt
        self.cipher = CIPHERS[number](okm[:32])

    def seal(self, content):
        pieces = [content[at:at + self.SIZE] for at in range(0, len(content), self.SIZE)]
        out = self.head
        for number, piece in enumerate(pieces):
            out += self.cipher.encrypt(bytes(4) + number.to_bytes(8, "big"), piece, b"blob" + self.head)
        return out + self.cipher.encrypt(bytes(4) + b"\xff" * 8, b"", self.end(content))

    def end(self, content):
        return b"end " + self.head + hashlib.sha1(content).digest() + len(content).to_bytes(8, "big")

    def open(self, sealed):
        assert sealed[:24] == self.head
        content, whole = b"", self.SIZE + 16
        for number, at in enumerate(range(24, len(sealed) - 16, whole)):
            piece = sealed[at:min(at + whole, len(sealed) - 16)]
            content += self.cipher.decrypt(bytes(4) + number.to_bytes(8, "big"), piece, b"blob" + self.head)
        self.cipher.decrypt(bytes(4) + b"\xff" * 8, sealed[-16:], self.end(content))
        return content


def vectors():
    key = bytes(range(32))
    cases = []
    for number in CIPHERS:
        blob = Blob(key, number, bytes(range(0x70, 0x80)))
        cases.append({
            "cipher": number, "key": key.hex(), "blobSalt": blob.head[8:].hex(), "blobHead": blob.head.hex(),
            "blobEmpty": blob.seal(b"").hex(), "blobAbc": blob.seal(b"abc").hex(),
            "blob70000": hashlib.sha256(blob.seal(bytes(at % 253 for at in range(70000)))).hexdigest(),
        })
    password = hashlib.pbkdf2_hmac("sha256", b"password123", b"Salty McNaCl", 64000, 32)
    return {"password123": password.hex(), "cases": cases}


if __name__ == "__main__":
    if sys.argv[1] == "vectors":
        print(json.dumps(vectors(), indent=1))
    else:
        sealed = open(sys.argv[3], "rb").read()
        content = Blob(bytes.fromhex(sys.argv[2]), sealed[3], sealed[8:24]).open(sealed)
        assert hashlib.sha1(content).hexdigest() == sys.argv[4]
        open(sys.argv[5], "wb").write(content)
