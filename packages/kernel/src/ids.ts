import { NIL, v7, validate } from 'uuid'
import { idInCell } from './cells.ts'

/** The nil UUID (RFC 9562, section 5.9), before all others. No row has it as its id: it stands for nobody and nothing where a UUID is required. */
export const NIL_ID = NIL

/** A new UUIDv7 (RFC 9562) that names the cell of this process: time-ordered, so that `created_at desc, id desc` is one index. */
export const newId = (): string => idInCell(v7())

/** The smallest UUIDv7 of a millisecond: ids made earlier are below it, ids made later above. */
export function firstIdOf(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

/** When an id of {@link newId} was made, in milliseconds since 1970. */
export const timeOfId = (id: string): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

/** True for the text of a UUID of any version. An id in a path that is not a UUID is answered with 404. */
export const isId = (text: string): boolean => validate(text)
