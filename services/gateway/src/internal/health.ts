import { errors } from '@payments/kernel'
import { platformSettings, type Runtime } from '@payments/platform'
import type Koa from 'koa'
import { helpLink } from '../operations/errors.ts'
import type { State } from '../operations/state.ts'

const DEADLINE_MS = 1500

/**
 * `GET /health` (specification, What the service does): 200 when the statement that counts the request succeeds within
 * 1.5 s and no write has just failed for want of a database that accepts it, otherwise 503, so that the reply takes
 * less than two seconds even if no connection is free. The 503 is an error in the envelope that also has `env` and `ts`.
 */
export function health(
  runtime: Runtime,
): (ctx: Koa.ParameterizedContext<State>, counted: Promise<unknown>) => Promise<void> {
  const { ENV_NAME } = platformSettings.from(runtime.settings)
  return async (ctx, counted) => {
    const available = await Promise.race([
      counted.then(
        () => true,
        () => false,
      ),
      new Promise<boolean>((resolve) => setTimeout(resolve, DEADLINE_MS, false).unref()),
    ])
    const serves = available && runtime.database.problem() === undefined
    ctx.status = serves ? 200 : 503
    ctx.set('Cache-Control', 'no-store')
    if (!serves) ctx.set('Link', helpLink(errors.busy.code))
    const shown = { env: ENV_NAME, ts: new Date().toISOString() }
    ctx.body = serves
      ? { status: 'ok', ...shown }
      : { status: 'error', message: errors.busy.message, data: null, ...shown }
  }
}
