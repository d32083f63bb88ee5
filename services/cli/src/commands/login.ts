import { hostname } from 'node:os'
import { createInterface } from 'node:readline/promises'
import { Payments } from '@payments/sdk'
import { type Connection, type Env, environmentOf, readConfig, writeConfig } from '../config.ts'
import { type Output, UsageError } from '../output.ts'

/** Keeps an API key that works: one that is given, or a new test key of the user who enters the code from the email. */
export async function login(
  connection: Connection,
  given: { apiKey?: string; email?: string },
  { env, output }: { env: Env; output: Output },
): Promise<void> {
  const apiKey = given.apiKey ?? (await newKey(connection.url, given.email))
  await new Payments({ url: connection.url, apiKey }).webhookEndpoints.eventTypes.list()
  writeConfig(env, { ...readConfig(env), url: connection.url, apiKey })
  output.out(
    output.json
      ? JSON.stringify({ url: connection.url, environment: environmentOf(apiKey) })
      : `Signed in to ${connection.url} (${environmentOf(apiKey)})`,
  )
}

async function newKey(url: string, given: string | undefined): Promise<string> {
  if (!process.stdin.isTTY && !given)
    throw new UsageError('Signing in needs a terminal, --email with the code on standard input, or --api-key')
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const email = given ?? (await lines.question('Email: '))
    const anonymous = new Payments({ url })
    const { challengeId } = await anonymous.request<{ challengeId: string }>('POST', '/auth/login', { email })
    const code = await lines.question('Code from the email: ')
    const { accessToken } = await anonymous.request<{ accessToken: string }>('POST', '/auth/otp/verify', {
      challengeId,
      code: code.trim(),
    })
    const session = new Payments({ url, apiKey: accessToken })
    const name = `Command line on ${hostname()}`.slice(0, 60)
    return (await session.request<{ key: string }>('POST', '/api-keys', { name, environment: 'test' })).key
  } finally {
    lines.close()
  }
}
