import { z } from 'zod'

/** `secret`: its holder can act for its owner. `personal`: it says something about a person. */
export type Sensitivity = 'secret' | 'personal'

/** The property of the OpenAPI documents that marks such a field. */
export const SENSITIVE = 'x-sensitive'

const marked =
  (sensitivity: Sensitivity) =>
  <T extends z.ZodType>(schema: T): T =>
    schema.meta({ [SENSITIVE]: sensitivity })

/** A field that holds a secret, such as a key, a token or a code: the request log never keeps it. */
export const secret = marked('secret')

/** A field that holds personal data, such as a name, an email address or an account number: the request log never keeps it. */
export const personal = marked('personal')

/** What {@link secret} and {@link personal} said of a schema; undefined for a field that may be kept. */
export const sensitivityOf = (schema: z.ZodType): Sensitivity | undefined =>
  z.globalRegistry.get(schema)?.[SENSITIVE] as Sensitivity | undefined
