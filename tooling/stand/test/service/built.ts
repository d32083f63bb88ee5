import { build } from '@payments/bundle'
import { inject } from 'vitest'
import { administer } from './database.ts'

let building: Promise<void> | undefined

/** Builds the artefact, if its sources have changed, once for this process: before a test starts something of it. */
export function built(): Promise<void> {
  // The others wait, and find it.
  building ??= administer(inject('database').owner, async (client) => {
    await client.query('select pg_advisory_lock(4712)')
    await build()
  })
  return building
}
