"""The database and its log in Docs/formats/sealed-database.md once more, with nothing of Divan: vectors, and a reader.

    sealed.py vectors                    the vectors, as JSON
    sealed.py database KEY SEALED PLAIN  opens the file of a database and its log
"""
import json, os, sys
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

CIPHERS = {1: AESGCM, 2: ChaCha20Poly1305}
MAGIC = b"SQLite format 3\0"


class Database:
    def __init__(self, key, head):
        assert head[:3] == b"DvS"
        okm = HKDF(hashes.SHA256(), 100, head, b"divan database").derive(key)
        self.head, self.check = head, okm[96:]
        self.pages, self.log = (CIPHERS[head[3]](okm[at:at + 32]) for at in (0, 32))
        self.block = Cipher(algorithms.AES(okm[64:96]), modes.ECB())

    def page_bound(self, number, plain):
        return b"page" + number.to_bytes(4, "big") + (plain if number == 1 else b"")

    def seal_page(self, number, nonce, page):
        plain = self.head + page[16:24] if number == 1 else b""
        sealed = self.pages.encrypt(nonce, page[len(plain):-32], self.page_bound(number, plain))
        return plain + sealed[:-16] + nonce + self.check + sealed[-16:]

    def open_page(self, number, page):
        plain = page[:24] if number == 1 else b""
        assert page[-20:-16] == self.check
        opened = self.pages.decrypt(page[-32:-20], page[len(plain):-32] + page[-16:],
                                    self.page_bound(number, plain))
        return (MAGIC + plain[16:] if plain else b"") + opened + bytes(32)

    def frame_bound(self, head, offset):
        return b"log " + head[:8] + offset.to_bytes(8, "big")

    def seal_frame(self, head, offset, nonce, page):
        sealed = self.log.encrypt(nonce, page[:-32], self.frame_bound(head, offset))
        return sealed[:-16] + nonce + self.check + sealed[-16:]

    def open_frame(self, head, offset, page):
        assert page[-20:-16] == self.check
        return self.log.decrypt(page[-32:-20], page[:-32] + page[-16:],
                                self.frame_bound(head, offset)) + bytes(32)

    def mixed(self, offset, block):
        place = offset.to_bytes(8, "big") + bytes(8)
        return bytes(a ^ b for a, b in zip(block, place))

    def seal_block(self, offset, block):
        return self.block.encryptor().update(self.mixed(offset, block))

    def open_block(self, offset, block):
        return self.mixed(offset, self.block.decryptor().update(block))


def vectors():
    key = bytes(range(32))
    nonce = bytes(range(0xC0, 0xCC))
    page = bytearray((at * 7 + 3) % 251 for at in range(1024 - 32)) + bytes(32)
    first = bytes(MAGIC + bytes([4, 0, 2, 2, 32, 64, 32, 32]) + page[24:])
    frame_head = bytes(range(0x50, 0x68))
    cases = []
    for number in CIPHERS:
        head = b"DvS" + bytes([number]) + bytes(range(0xA0, 0xAC))
        database = Database(key, head)
        cases.append({
            "cipher": number, "key": key.hex(), "head": head.hex(), "nonce": nonce.hex(),
            "check": database.check.hex(),
            "page1": database.seal_page(1, nonce, first).hex(),
            "page2": database.seal_page(2, nonce, bytes(page)).hex(),
            "frameHead": frame_head.hex(),
            "frame1080": database.seal_frame(frame_head, 1080, nonce, bytes(page)).hex(),
            "block1080": database.seal_block(1080, frame_head[8:]).hex(),
        })
    return cases


def open_database(key, path):
    sealed = open(path, "rb").read()
    database = Database(key, sealed[:16])
    size = int.from_bytes(sealed[16:18], "big")
    pages = {at // size + 1: database.open_page(at // size + 1, sealed[at:at + size])
             for at in range(0, len(sealed), size)}
    log = open(path + "-wal", "rb").read() if os.path.exists(path + "-wal") else b""
    waiting = {}
    salts = database.open_block(0, log[16:32])[:8] if log else b""
    for at in range(32, len(log) - size - 23, size + 24):
        head = log[at:at + 8] + database.open_block(at, log[at + 8:at + 24])
        if head[8:16] != salts:
            break
        waiting[int.from_bytes(head[:4], "big")] = database.open_frame(head, at, log[at + 24:at + 24 + size])
        if int.from_bytes(head[4:8], "big"):
            pages.update(waiting)
            waiting = {}
    return b"".join(pages[number] for number in sorted(pages))


if __name__ == "__main__":
    if sys.argv[1] == "vectors":
        print(json.dumps(vectors(), indent=1))
    else:
        open(sys.argv[4], "wb").write(open_database(bytes.fromhex(sys.argv[2]), sys.argv[3]))
