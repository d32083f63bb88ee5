# verify <secret> <X-Service-Signature> [<tolerance in seconds>] < <file with the raw request body>
#
# Is this delivery ours, whole and fresh? The secret is the whole whsec_… text. During a rotation the header lists several
# signatures. For checks by hand: openssl shows the secret in the list of processes, and the shell does not compare in
# constant time.
verify() (
  secret=$1 header=$2 tolerance=${3:-300} timestamp='' signatures=''
  set -f
  IFS=,
  for part in $header; do
    case $part in
      t=*) timestamp=${timestamp:-${part#t=}} ;;
      v1=*) signatures="$signatures,${part#v1=}" ;;
    esac
  done
  case $timestamp in '' | 0* | *[!0-9]* | ?????????????*) return 1 ;; esac
  age=$(($(date +%s) - timestamp))
  [ "${age#-}" -le "$tolerance" ] || return 1
  expected=$({ printf '%s.' "$timestamp" && cat; } | openssl dgst -sha256 -r -hmac "$secret" | cut -c 1-64)
  for signature in $signatures; do
    [ "$signature" = "$expected" ] && return 0
  done
  return 1
)
