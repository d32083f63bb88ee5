import { v7, validate } from 'uuid'

/** A new UUIDv7 (RFC 9562): time-ordered, so that `created_at desc, id desc` is one index. */
export const newId = (): string => v7()

/** True for the text of a UUID of any version. An id in a path that is not a UUID is answered with 404. */
export const isId = (text: string): boolean => validate(text)
