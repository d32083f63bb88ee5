import { hostname } from 'node:os'
import { createInterface } from 'node:readline/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { isPaymentsError, Payments } from '@payments/sdk'
import { type Connection, type Env, environmentOf, originOf, readConfig, writeConfig } from '../config.ts'
import { type Output, safe } from '../output.ts'
import { openPage } from './open-page.ts'

interface Place {
  readonly env: Env
  readonly output: Output
  readonly signal: AbortSignal
}

const clientName = () => `Command line on ${hostname()}`.slice(0, 60)

/**
 * Keeps an API key that works: one that is given, or a new one. A user allows it in the dashboard, or, with `email`, proves an email
 * address with a code and gets a test key.
 * @throws PaymentsError `access_denied` when the user refuses, `expired_token` when nobody answers within ten minutes
 */
export async function login(
  { url }: Connection,
  given: { readonly apiKey?: string; readonly email?: string; readonly account?: string },
  place: Place,
): Promise<void> {
  const { env, output } = place
  const apiKey =
    given.apiKey ?? (given.email ? await keyByEmail(url, given.email) : await keyByBrowser(url, given.account, place))
  await new Payments({ url, apiKey }).webhooks.eventTypes()
  const kept = readConfig(env)
  writeConfig(env, { ...kept, url, keys: { ...kept.keys, [originOf(url)]: apiKey } })
  output.out(
    output.json
      ? JSON.stringify({ url, environment: environmentOf(apiKey) })
      : `Signed in to ${url} (${environmentOf(apiKey)})`,
  )
}

interface Started {
  readonly deviceCode: string
  readonly userCode: string
  readonly verificationUri: string
  readonly interval: number
}

interface Received {
  readonly key: string
  readonly organisationName: string
  readonly expiresAt: string
}

/** The device authorization grant (RFC 8628): the user types the code of this terminal into the page, and answers there. */
async function keyByBrowser(url: string, account: string | undefined, { output, signal }: Place): Promise<string> {
  const anonymous = new Payments({ url })
  const start = { clientName: clientName(), ...(account && { email: account }) }
  const started = await anonymous.request<Started>('POST', '/auth/device', start, { signal })
  const { deviceCode, userCode, verificationUri } = started
  output.err(`Your code is ${safe(userCode)}\nEnter it at ${safe(verificationUri)}`)
  if (process.stdout.isTTY && !output.json) openPage(verificationUri)
  for (let { interval } = started; ; ) {
    await pause(interval * 1000, undefined, { signal })
    try {
      const { key, organisationName, expiresAt } = await anonymous.request<Received>(
        'POST',
        '/auth/device/token',
        { deviceCode },
        { signal },
      )
      output.err(`A key of ${safe(organisationName)}, valid until ${expiresAt.slice(0, 10)}`)
      return key
    } catch (error) {
      if (isPaymentsError(error, 'slow_down')) interval += 5
      else if (!isPaymentsError(error, 'authorization_pending') && !isLost(error)) throw error
    }
  }
}

/** The service is not reached for a moment, or not able to answer: the user may still be about to. */
const isLost = (error: unknown): boolean =>
  isPaymentsError(error) && (error.status === 0 || error.status === 429 || error.status >= 500)

async function keyByEmail(url: string, email: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const anonymous = new Payments({ url })
    const { challengeId } = await anonymous.request<{ challengeId: string }>('POST', '/auth/login', { email })
    const code = await lines.question('Code from the email: ')
    const { accessToken } = await anonymous.request<{ accessToken: string }>('POST', '/auth/otp/verify', {
      challengeId,
      code: code.trim(),
    })
    const session = new Payments({ url, apiKey: accessToken })
    const created = { name: clientName(), environment: 'test' }
    return (await session.request<{ key: string }>('POST', '/api-keys', created)).key
  } finally {
    lines.close()
  }
}
