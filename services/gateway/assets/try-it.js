// What is done before an example is sent, so that it succeeds: see services/gateway/src/docs/reference/preparation.ts.
const WAIT_MS = 500
const TRIES = 40

/** Text or an object in which `{name}` is replaced by a value that was saved. */
export function fill(part, values) {
  if (typeof part === 'string') return part.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole)
  if (part === null || typeof part !== 'object') return part
  if (Array.isArray(part)) return part.map((each) => fill(each, values))
  return Object.fromEntries(Object.entries(part).map(([name, each]) => [name, fill(each, values)]))
}

/** A body with what must be unique made new: email addresses, and where payment routes deliver to. */
export function fresh(body) {
  const random = [...crypto.getRandomValues(new Uint8Array(20))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      if (name === 'email') return [name, String(value).replace(/@/, `+${random.slice(0, 8)}@`)]
      if (name === 'reference') return [name, `${value}-${random.slice(0, 8)}`]
      if (name === 'destinationAddress' && /^0x/.test(value)) return [name, `0x${random}`]
      return [name, value]
    }),
  )
}

const at = (value, path) => path.split('.').reduce((part, name) => part?.[name], value)

/**
 * Does the steps in order and returns what they saved. `send` takes method, URL and body and returns status and body of the reply.
 * Throws with the message of the reply that was no success.
 */
export async function prepare(steps, send, values = {}) {
  for (const step of steps) {
    const body = step.body && fresh(fill(step.body, values))
    let data
    for (let tries = 0; ; tries++) {
      const reply = await send(step.method, fill(step.url, values), body)
      if (reply.status >= 300)
        throw new Error(`${step.method} ${fill(step.url, values)}: ${reply.status} ${reply.body?.message}`)
      data = reply.body.data
      const [place, wanted] = step.until ?? []
      const found = place === undefined ? wanted : at(data, place)
      if (place === undefined || (found !== undefined && (wanted === '' || String(found) === wanted))) break
      if (tries >= TRIES) throw new Error(`${step.url}: ${place} is still ${found}`)
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS))
    }
    for (const [name, place] of Object.entries(step.save ?? {})) values[name] = at(data, place)
  }
  return values
}
