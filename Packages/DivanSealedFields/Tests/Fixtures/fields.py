"""Docs/formats/sealed-fields.md once more, with nothing of Divan.

    fields.py seal KEY SCOPE COLLECTION DOCUMENT PATH KEYID JSON      prints Base64
    fields.py open KEY SCOPE COLLECTION DOCUMENT PATH KEYID BASE64    prints JSON
"""
import base64, os, sys
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

verb, key, *place, text = sys.argv[1:]
cipher = AESGCM(HKDF(hashes.SHA256(), 32, b"Divan", b"divan field").derive(bytes.fromhex(key)))
bound = b"".join(len(part.encode()).to_bytes(4, "big") + part.encode() for part in place)
if verb == "seal":
    nonce = os.urandom(12)
    print(base64.b64encode(nonce + cipher.encrypt(nonce, text.encode(), bound)).decode())
else:
    sealed = base64.b64decode(text, validate=True)
    print(cipher.decrypt(sealed[:12], sealed[12:], bound).decode())
