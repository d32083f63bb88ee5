import type { PayData } from '@payments/pay-page'

/** What the service answered; status 0: it could not be reached. */
export interface Answer {
  readonly status: number
  readonly data: PayData | { readonly id: string } | null
  readonly errors: Readonly<Record<string, string>>
}

const TIMEOUT_MS = 15_000

/** One request to the public pay routes of the service that the page came from. */
export async function request(id: string, body?: object): Promise<Answer> {
  try {
    const reply = await fetch(`/v1/pay/${encodeURIComponent(id)}`, {
      ...(body ? { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) } : {}),
      credentials: 'omit',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const { data, errors } = await reply.json()
    return { status: reply.status, data: data ?? null, errors: errors ?? {} }
  } catch {
    return { status: 0, data: null, errors: {} }
  }
}
