import { z } from 'zod'

/** Why an object failed: for the merchant, what happened and what to do next. */
export interface FailureReason {
  readonly description: string
  readonly nextStep: string
}

/** A domain's documented list of failure reasons. `Code` is the schema of `failureReason`. */
export interface FailureReasons<C extends string = string> {
  readonly Code: z.ZodEnum<{ [K in C]: K }>
  readonly table: Readonly<Record<C, FailureReason>>
}

/** Defines the failure reasons of an object. The reference pages and the schema of its `failureReason` derive from them. */
export const defineFailureReasons = <const C extends string>(table: Record<C, FailureReason>): FailureReasons<C> => ({
  Code: z.enum(Object.keys(table) as C[]) as FailureReasons<C>['Code'],
  table,
})
