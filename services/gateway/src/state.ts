import type Router from '@koa/router'
import type { Credential, Log } from '@payments/platform'
import type { RequestFacts } from './request-context.ts'

/** What the layers before a route leave for it. */
export interface State {
  ip: string
  log: Log
  facts: RequestFacts
  credential: Credential
  /** The header `X-Service-Environment`, as it was sent. */
  environment: string | undefined
  refusedCallback?: 'unsigned' | 'unavailable'
}
export type Gateway = Router<State>
