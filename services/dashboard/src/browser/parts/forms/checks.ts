/** Checks of texts as they are typed. The service decides: these only say sooner what it would say. */

/** An amount as decimal text, with at most so many decimals. */
export const amountCheck =
  (decimals = 18) =>
  (text: string): string | undefined => {
    if (!/^\d{1,30}(\.\d+)?$/.test(text)) return 'Must be a number like 12.50'
    if (/^0*(\.0*)?$/.test(text)) return 'Must be greater than zero'
    return (text.split('.')[1]?.length ?? 0) > decimals ? `Must have at most ${decimals} decimals` : undefined
  }

const ADDRESSES = {
  evm: [/^0x[\da-f]{40}$/i, 'Must be 0x and 40 hexadecimal digits'],
  svm: [/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, 'Must be a Solana address: 32 to 44 letters and digits'],
  tvm: [/^T[1-9A-HJ-NP-Za-km-z]{33}$/, 'Must be a Tron address: T and 33 letters and digits'],
} as const

/** An address on a kind of network. */
export const addressCheck =
  (type: string | undefined) =>
  (text: string): string | undefined => {
    const [pattern, message] = ADDRESSES[type as keyof typeof ADDRESSES] ?? []
    return pattern && !pattern.test(text) ? message : undefined
  }

/** True if the text has the shape of an id: a UUID. */
export const isId = (text: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)

export const emailCheck = (text: string): string | undefined =>
  /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text) ? undefined : 'Must be an email address'

export const countryCheck = (text: string): string | undefined =>
  /^[a-z]{2}$/i.test(text) ? undefined : 'Must be two letters, such as NG'

/**
 * The parts of a body that are not empty, trimmed; a path with dots is a part of a part. Its type is what the call takes: what is missing or
 * wrong, the service says at the field.
 */
export function bodyOf<Body>(values: Readonly<Record<string, string>>): Body {
  const body: Record<string, unknown> = {}
  for (const [path, value] of Object.entries(values)) {
    if (value.trim() === '') continue
    const names = path.split('.')
    const last = names.pop() ?? ''
    let at = body
    for (const name of names) {
      at[name] ??= {}
      at = at[name] as Record<string, unknown>
    }
    at[last] = value.trim()
  }
  return body as Body
}
