import type Router from '@koa/router'
import type { Log } from '@payments/kernel'
import type { Admission } from './admission.ts'
import type { Admitted } from './dispatch.ts'

/** What the layers before a route leave for it. */
export interface State {
  ip: string
  log: Log
  admission: Admission
  credential: Admitted['credential']
  environment: Admitted['environment']
}
export type Gateway = Router<State>
