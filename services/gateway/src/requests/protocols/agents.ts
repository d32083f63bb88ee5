import type { IncomingMessage, ServerResponse } from 'node:http'
import { answerAgent, pagesOf } from '@payments/agents'
import { errors as commonErrors } from '@payments/kernel'
import { publicUrl, type Runtime } from '@payments/platform'
import { Payments } from '@payments/sdk'
import { readBody } from '../../http/body.ts'
import { clientLeft } from '../../http/connections/connections.ts'
import { errors } from '../../operations/errors.ts'
import type { Gateway } from '../../operations/state.ts'
import { gatewaySettings } from '../../settings.ts'
import type { Callers } from '../caller.ts'
import { fetchInside } from './inside.ts'

/** Where agents find the Model Context Protocol. */
const AGENTS = '/mcp'

/** The service as it names itself in requests to itself. What a client calls it in `Host` is part of no address. */
const INSIDE = 'http://gateway.invalid'

/** Requests of the service to itself have no network between them that they could be lost in. */
const ONCE = { maxRetries: 0 } as const

/**
 * Serves agents over the Model Context Protocol (streamable HTTP, without sessions): the operations that the API key of the request may
 * call are its tools. It only reads, unless the address has `?allow_writes=true`; it moves money in the sandbox alone, because a limit in
 * live belongs to a person: see `payments mcp --allow`.
 */
export function mountAgents(
  router: Gateway,
  { settings }: Runtime,
  caller: Callers,
  handle: (req: IncomingMessage, res: ServerResponse) => unknown,
): void {
  const { DASHBOARD_ORIGINS } = gatewaySettings.from(settings)
  router.post(AGENTS, async (ctx) => {
    const { req, state } = ctx
    // A page of another site, or one whose name was pointed here, must not reach a service on this machine or network.
    const { origin } = req.headers
    if (origin !== undefined && ![new URL(publicUrl(settings)).origin, ...DASHBOARD_ORIGINS].includes(origin))
      throw errors.foreign_origin()
    const actor = caller.of(state)
    if (actor.kind === 'anonymous') throw commonErrors.no_token()
    if (actor.kind !== 'key') throw errors.api_key_required()
    const body = await readBody(req)
    // The protocol has none since its version of 2025-06-18, and one request would cost as much as many.
    if (/^\s*\[/.test(body.toString('latin1'))) throw errors.batch_refused()
    const fetch = fetchInside(handle, req, clientLeft(ctx.res))
    const apiKey = req.headers.authorization?.replace(/^Bearer\s+/i, '') ?? ''
    const reply = await answerAgent(
      new Payments({ url: INSIDE, apiKey, fetch, ...ONCE }),
      {
        environment: actor.environment,
        allowWrites: ctx.URL.searchParams.get('allow_writes') === 'true',
        page: pagesOf(INSIDE, fetch),
      },
      new Request(`${INSIDE}${AGENTS}`, {
        method: 'POST',
        headers: Object.entries(req.headers).flatMap(([name, value]): [string, string][] =>
          /^(accept|content-type|mcp-[\w-]+)$/.test(name) ? [[name, String(value)]] : [],
        ),
        body: new Uint8Array(body),
      }),
    )
    ctx.status = reply.status
    ctx.body = await reply.text()
    ctx.type = reply.headers.get('content-type') ?? 'application/json'
  })
}
