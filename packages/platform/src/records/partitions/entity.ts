import { defineEntity, p } from '@mikro-orm/core'
import { instant } from '../../domain/entity.ts'

/** An object of an archive: gzipped lines of JSON. */
export interface Part {
  readonly name: string
  readonly rows: number
  readonly bytes: number
  readonly sha256: string
  /** Rows up to this one are in it. */
  readonly lastId: string
}

/** A week of a partitioned table that is archived, or being archived: see `archive.ts`. */
export const ArchivedWeekEntity = defineEntity({
  name: 'ArchivedWeek',
  tableName: 'archived_weeks',
  properties: {
    tableName: p.text().primary(),
    week: p.date().primary(),
    /** From 1 on. Rows that come to a week that was archived and removed before are another version. */
    version: p.integer().primary(),
    /** Where the archive is. */
    store: p.text(),
    parts: p.json<readonly Part[]>().defaultRaw("'[]'"),
    startedAt: instant(),
    /** When its manifest was stored. */
    completedAt: instant().nullable(),
    /** When the rows were no longer in the database. */
    removedAt: instant().nullable(),
  },
})
