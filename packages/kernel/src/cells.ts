// A cell is a whole installation, one of several behind one address (docs/decisions/scaling.md). What is made in a cell names it, so that
// whoever forwards a request need not ask: this file alone knows where. An installation alone is cell 0, and so is everything made before
// there were cells.

/** Cells are numbered from 0 to this. */
export const LAST_CELL = 4095

/** Characters of a cell's number: hexadecimal digits in small letters, which an id, a key, a reference and a path may contain. */
const DIGITS = 3

/** The text of a cell's number: `00a` for 10. @throws RangeError for what is no number of a cell */
export function cellText(cell: number): string {
  if (!Number.isInteger(cell) || cell < 0 || cell > LAST_CELL) throw new RangeError(`${cell} is no number of a cell`)
  return cell.toString(16).padStart(DIGITS, '0')
}

/** The cell that a text of {@link cellText} names; undefined for any other text. */
export const cellOfText = (text: string): number | undefined =>
  /^[0-9a-f]{3}$/.test(text) ? Number.parseInt(text, 16) : undefined

let own = '000'

/** Says which cell this process belongs to: everything that it makes from now on names it. Called once, where the process is composed. */
export function belongToCell(cell: number): void {
  own = cellText(cell)
}

/** {@link cellText} of the cell that this process belongs to. */
export const ownCell = (): string => own

/** An address that has no id of a cell and needs no key, such as that of an image by its digest: it names the cell unless that is 0. */
export const pathInCell = (path: string): string => (own === '000' ? path : `${path}?${CELL_CLAIM}=${own}`)

/** Where the digits of a cell are in the text of an id: the last 12 of its random bits, behind everything that an order looks at. */
const IN_ID = 36 - DIGITS

/** The same UUIDv7 (RFC 9562), made in a cell. Ids keep their order: two of one cell differ before the digits of the cell. */
export const idInCell = (id: string, cell = own): string => `${id.slice(0, IN_ID)}${cell}`

/**
 * The cell in which an id was made. `since`: the time from which on every id names its cell, milliseconds since 1970; what was made before is
 * of cell 0, and has random bits there. Undefined for text that is no UUIDv7.
 */
export function cellOfId(id: string, since: number): number | undefined {
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i.test(id)) return undefined
  if (Number.parseInt(`${id.slice(0, 8)}${id.slice(9, 13)}`, 16) < since) return 0
  return Number.parseInt(id.slice(IN_ID), 16)
}

/** The lookup part of a key: the cell, and as many random letters and digits as it has room for. */
export const lookupInCell = (random: string, length: number): string => `${own}${random.slice(0, length - DIGITS)}`

/**
 * The cell of a key by its lookup part. Those from before there were cells are random: the few of them that begin like the number of a cell
 * are in `listed`, and so are those of an organisation that has moved.
 */
export const cellOfLookup = (lookup: string, listed: ReadonlyMap<string, number> = new Map()): number =>
  listed.get(lookup) ?? cellOfText(lookup.slice(0, DIGITS)) ?? 0

/** SQL: lookup parts that {@link cellOfLookup} takes for those of another cell than `cell`, its text: what `listed` must have of that cell. */
export const KEY_OF_ANOTHER_CELL = (cell: string): string =>
  `${cell}::text <> case when lookup ~ '^[0-9a-f]{3}' then left(lookup, 3) else '000' end`

/** A secret that only its digest finds (a refresh token), and a reference in capitals: the cell before `random`, so that it is longer than without one. */
export const secretInCell = (random: string): string => `${own}${random}`
export const referenceInCell = (prefix: string, random: string): string => `${prefix}${own.toUpperCase()}${random}`

/** The cell before a text that has `length` characters without one: 0 for one without, undefined for what is neither. */
export function cellBefore(text: string, length: number): number | undefined {
  if (text.length === length) return 0
  return text.length === length + DIGITS ? cellOfText(text.slice(0, DIGITS).toLowerCase()) : undefined
}

/** The claim of an access token with its cell. */
export const CELL_CLAIM = 'cell'

/** The cell of an access token (JWT) by its claim; 0 for one without. It is not verified: the cell does that. Undefined for what is none. */
export function cellOfToken(token: string): number | undefined {
  try {
    const [, payload = ''] = token.split('.')
    const claims: unknown = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')))
    if (typeof claims !== 'object' || claims === null) return undefined
    const cell = (claims as Record<string, unknown>)[CELL_CLAIM]
    return cell === undefined ? 0 : typeof cell === 'string' ? cellOfText(cell) : undefined
  } catch {
    return undefined
  }
}

/** Where the callbacks of a provider are sent, in this cell: `/v1/callbacks/paycrest/00a`. */
export const callbackPath = (base: string, cell = own): string => `${base}/${cell}`

/** The cell of a path of callbacks; 0 for one without. Undefined for another path. */
export function cellOfCallback(path: string): number | undefined {
  const [, cell] = /^\/v1\/callbacks\/[a-z0-9-]+(?:\/([0-9a-f]{3}))?$/.exec(path) ?? [undefined, null]
  return cell === null ? undefined : cell === undefined ? 0 : cellOfText(cell)
}
