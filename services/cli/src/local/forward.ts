import { type WebhookEvent, webhooks } from '@payments/sdk'

/** What a local server answered to an event. */
export interface Forwarded {
  readonly url: string
  readonly durationMs: number
  readonly status?: number
  /** Why there was no answer. */
  readonly error?: string
}

/** Sends an event to a local server as the service would deliver it, signed with the secret of this machine. Never throws. */
export async function forward(event: WebhookEvent, url: string, secret: string): Promise<Forwarded> {
  const started = Date.now()
  const body = JSON.stringify(event)
  const headers = { ...(await webhooks.testHeaders(body, secret)), 'x-service-delivery': event.id }
  try {
    const reply = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(30_000),
    })
    await reply.body?.cancel()
    return { url, status: reply.status, durationMs: Date.now() - started }
  } catch (error) {
    const { message, cause } = error as Error
    return { url, error: (cause as Error | undefined)?.message || message, durationMs: Date.now() - started }
  }
}
