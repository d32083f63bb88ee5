import { router } from '@payments/kernel'
import { domains } from './domains.ts'
import { sandboxRouter } from './sandbox.ts'

const sandbox = sandboxRouter(domains)

type Records = NonNullable<(typeof domains)[number]['router']> | typeof sandbox
type Merged<U> = (U extends unknown ? (value: U) => void : never) extends (value: infer I) => void ? I : never

/** Every procedure of every domain. */
export const appRouter = router(
  Object.assign({}, sandbox, ...domains.map((domain) => domain.router)) as Merged<Records>,
)

/** What typed clients import. */
export type AppRouter = typeof appRouter
