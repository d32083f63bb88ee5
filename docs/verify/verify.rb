require "openssl"

# Is this delivery ours, whole and fresh?
#
# `body` is the raw request body, before any parsing; `header` is `X-Service-Signature`; `secret` is the whole `whsec_…`
# text. During a rotation the header lists several signatures.
def verify(secret, header, body, tolerance_seconds = 300)
  parts = header.split(",").map { |part| part.split("=", 2) }
  timestamp = parts.find { |name, _| name == "t" }&.last.to_s
  return false unless timestamp.match?(/\A\d{1,12}\z/)
  return false if (Time.now.to_i - timestamp.to_i).abs > tolerance_seconds

  expected = OpenSSL::HMAC.hexdigest("SHA256", secret, "#{timestamp}.".b + body.b)
  parts.any? { |name, value| name == "v1" && OpenSSL.secure_compare(expected, value.to_s) }
end
