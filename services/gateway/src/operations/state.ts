import type Router from '@koa/router'
import type { Actor } from '@payments/kernel'
import type { Credential, Exchange, Log } from '@payments/platform'
import type { RequestContext } from './request-context.ts'

/** The results of the layers before a route. */
export interface State {
  ip: string
  log: Log
  context: RequestContext
  credential: Credential
  /** The header `X-Service-Environment`, as it was sent. */
  environment: string | undefined
  /** The caller, once an operation has read its credential. */
  actor?: Actor
  /** The object that the request created, else the one that its path names. */
  resourceId?: string | undefined
  /** The bodies of an operation, for the request log. */
  exchange?: Exchange
  refusedCallback?: 'unsigned' | 'unavailable'
}
export type Gateway = Router<State>
