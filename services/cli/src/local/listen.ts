import { randomBytes } from 'node:crypto'
import type { Payments, WebhookEvent } from '@payments/sdk'
import { type Env, folderOf, readConfig, writeConfig } from '../config.ts'
import { type Output, safe } from '../output.ts'
import { forward } from './forward.ts'
import { announce } from './listeners.ts'

export interface ListenOptions {
  readonly forwardTo: readonly string[]
  readonly events: readonly string[] | undefined
  readonly after: string | undefined
}

/** The secret with which this machine signs what it forwards; the same each time, so that a local server keeps its setting. */
function signingSecret(env: Env): string {
  const config = readConfig(env)
  if (config.signingSecret) return config.signingSecret
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  writeConfig(env, { ...config, signingSecret: secret })
  return secret
}

/**
 * Prints the events of the organisation as they happen and forwards them, in their order, until it is interrupted. A broken connection and a
 * sleep of the machine leave out none.
 */
export async function listen(
  payments: Payments,
  { forwardTo, events, after }: ListenOptions,
  { env, output, signal }: { readonly env: Env; readonly output: Output; readonly signal: AbortSignal },
): Promise<void> {
  const secret = signingSecret(env)
  const pass = async (event: WebhookEvent) => {
    const forwards = []
    for (const url of forwardTo) forwards.push(await forward(event, url, secret))
    if (output.json) return output.out(JSON.stringify({ event, forwards }))
    output.out(`${event.created}  ${event.type.padEnd(29)} ${event.id}`)
    for (const { url, status, error, durationMs } of forwards)
      output.out(`  → ${url}  ${status ?? safe(`failed: ${error}`)}  ${durationMs} ms`)
  }
  // One after the other, those that are sent again too.
  let passing = Promise.resolve()
  const queue = (work: () => Promise<void>) => {
    passing = passing.then(work)
    return passing
  }
  const close = await announce(folderOf(env), (id) => {
    queue(async () => pass((await payments.events.get(id)) as unknown as WebhookEvent)).catch((error) =>
      output.err(safe(error.message)),
    )
  })
  let last = after
  let connections = 0
  const onConnected = () => {
    connections++
    if (connections > 1) output.err('Connected again: nothing was left out')
    else output.err(`Ready. Verify what is forwarded with the signing secret ${secret}`)
  }
  try {
    const params = { ...(events && { types: events }), ...(after && { after }), onConnected }
    for await (const event of payments.streamEvents(params, { signal })) {
      await queue(() => pass(event))
      last = event.id
    }
  } finally {
    close()
    if (last) output.err(`Go on later with --after ${last}`)
  }
}
