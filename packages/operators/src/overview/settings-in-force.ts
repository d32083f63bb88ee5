import { isDeepStrictEqual } from 'node:util'
import { type Domain, platformSettings, type Runtime } from '@payments/platform'
import { z } from 'zod'

/** Schemas whose values cannot be a secret: everything else is only said to be set or not. */
const isPlain = (schema: z.ZodType): boolean => {
  if (schema instanceof z.ZodNumber || schema instanceof z.ZodBoolean || schema instanceof z.ZodEnum) return true
  if (schema instanceof z.ZodPipe) return isPlain(schema.out as z.ZodType)
  const { innerType } = schema.def as { innerType?: z.ZodType }
  return innerType !== undefined && isPlain(innerType)
}

/** What a setting is where it is not given; undefined where it must be. */
const defaultOf = (schema: z.ZodType): unknown => schema.safeParse(undefined).data

/** The settings of this process, by name: the values of numbers, switches and choices; of texts, which may be secrets, only whether they are set. */
export function settingsInForce({ settings, domains }: Pick<Runtime, 'settings' | 'domains'>) {
  const values = settings as unknown as Record<string, unknown>
  const declared = [platformSettings, ...domains.flatMap((domain: Domain) => domain.settings ?? [])]
  const shapes = new Map<string, z.ZodType>(
    declared.flatMap(({ shape }) => Object.entries(shape) as [string, z.ZodType][]),
  )
  return [...shapes]
    .map(([name, schema]) => {
      const value = values[name]
      const isSet = value !== undefined && value !== null && value !== ''
      // A text or a list that is not given has its default.
      const shown = isPlain(schema) ? String(value) : isDeepStrictEqual(value, defaultOf(schema)) ? null : 'set'
      return { name, value: isSet ? shown : null, description: schema.description ?? '' }
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}
