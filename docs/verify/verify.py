import hashlib
import hmac
import time


def verify(secret: str, header: str, body: bytes, tolerance_seconds: int = 300) -> bool:
    """Is this delivery ours, whole and fresh?

    `body` is the raw request body, before any parsing; `header` is `X-Service-Signature`; `secret` is the whole
    `whsec_...` text. During a rotation the header lists several signatures.
    """
    parts = [part.partition("=") for part in header.split(",")]
    timestamp = next((value for name, _, value in parts if name == "t"), "")
    if not (timestamp.isascii() and timestamp.isdigit()):
        return False
    if abs(time.time() - int(timestamp)) > tolerance_seconds:
        return False
    signed = timestamp.encode() + b"." + body
    expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest().encode()
    return any(name == "v1" and hmac.compare_digest(value.encode(), expected) for name, _, value in parts)
