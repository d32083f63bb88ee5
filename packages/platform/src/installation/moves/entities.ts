import { defineEntity, p } from '@mikro-orm/core'
import { instant, keyedBy } from '../../domain/entity.ts'

/**
 * An organisation that moves between this cell and another, in both of their databases by the same id. The row of the cell that takes it
 * decides: it becomes `arrived` or `refused`, once. See `move.ts`.
 */
const MoveEntity = defineEntity({
  name: 'OrganisationMove',
  tableName: 'organisation_moves',
  properties: {
    id: p.uuid().primary(),
    organisationId: p.uuid(),
    /** `out` of this cell, or `in`. */
    direction: p.enum(['out', 'in']),
    /** The other cell. */
    cell: p.integer(),
    state: p.enum(['packed', 'complete', 'copied', 'arrived', 'refused']),
    createdAt: instant(),
    endedAt: instant().nullable(),
  },
  indexes: [
    {
      name: 'organisation_moves_open_key',
      expression:
        'create unique index organisation_moves_open_key on organisation_moves (organisation_id) where ended_at is null',
    },
  ],
})

/** A row of an organisation that moves, as text of its table's type. Nothing in the service reads it. */
const MovedRowEntity = defineEntity({
  name: 'MovedRow',
  tableName: 'moved_rows',
  properties: {
    moveId: p.uuid().primary(),
    number: p.bigint().primary().generated('by default as identity'),
    tableName: p.text(),
    row: p.text(),
  },
  ...keyedBy('move_id', 'number'),
})

export const moveEntities = [MoveEntity, MovedRowEntity]
