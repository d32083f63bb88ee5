import { canonicalAddress, isId } from '@payments/kernel'

/** What may be an address, a hash, a signature or an id: a word of letters and digits, long enough to be no name. */
const KEY = /^[\da-z_-]{20,128}$/i
const HEX = /^(0x)?([\da-f]{64}|[\da-f]{40})$/i
const UUID = /^([\da-f]{8})([\da-f]{4})([\da-f]{4})([\da-f]{4})([\da-f]{12})$/i

/** The last part of the address of an explorer, or of this service, that may be a key; undefined for any other text. */
function keyIn(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined
  const { pathname, hash, searchParams } = new URL(text)
  const parts = [...pathname.split('/'), ...hash.slice(1).split('/'), ...searchParams.values()]
  return parts.findLast((part) => KEY.test(part))
}

/**
 * How the text of a search may be stored: as it is written, in lower case, and of a key in the address of an explorer the key; a hash with
 * and without `0x`, an EVM address with its checksum, and of `ofr_` with digits the id that they are. The same in every search.
 */
export function spellingsOf(text: string): string[] {
  const word = keyIn(text.trim()) ?? text.trim()
  const lower = word.toLowerCase()
  const [, , hex] = HEX.exec(word) ?? []
  const id = uuidOf(lower)
  return [
    ...new Set([
      word,
      lower,
      ...(hex ? [`0x${hex.toLowerCase()}`, hex.toLowerCase()] : []),
      ...(hex?.length === 40 ? [canonicalAddress('evm', `0x${hex.toLowerCase()}`)] : []),
      ...(id ? [id] : []),
    ]),
  ].filter((each) => each !== undefined)
}

/** The id that a text is, without the hyphens or after `ofr_` too; undefined for any other text. */
function uuidOf(lower: string): string | undefined {
  const [, ...parts] = UUID.exec(lower.replace(/^ofr_/, '')) ?? []
  const id = parts.length > 0 ? parts.join('-') : lower
  return isId(id) ? id : undefined
}
