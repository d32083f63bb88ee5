import type { AppRouter } from '@payments/api'
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server'

/** Inputs of the procedures: `Inputs['customers']['create']`. */
export type Inputs = inferRouterInputs<AppRouter>
/** Results of the procedures: `Outputs['customers']['list']`. */
export type Outputs = inferRouterOutputs<AppRouter>
